"""What the control plane needs moto to have, checked before anything is built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import LocalEndpointError

if TYPE_CHECKING:
    from collections.abc import Iterable

MOTO_VERSION = "5.2.5"
"""The one release whose insides the hooks were written for; they are private and move between releases."""


def refuse_missing_parts(relied_on: Iterable[tuple[object, str]]) -> None:
    """Refuse a moto that lacks something.

    Args:
        relied_on: What it must have, as owner and name.

    Raises:
        LocalEndpointError: With every name that is missing.
    """
    missing = [f"{getattr(owner, '__name__', owner)}.{name}" for owner, name in relied_on if not hasattr(owner, name)]
    if missing:
        raise LocalEndpointError(
            f"moto {MOTO_VERSION} lacks {', '.join(missing)}, which the local endpoint extends.",
            "It was changed after installation: run pip install --force-reinstall 'warmroute[local]'.",
        )
