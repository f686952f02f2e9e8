"""Turns moto into the control plane of the local endpoint."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from warmroute.errors import LocalEndpointError, MissingExtraError
from warmroute.local.control.moto_parts import MOTO_VERSION, refuse_missing_parts
from warmroute.local.control.registry import TIMING

if TYPE_CHECKING:
    from warmroute.local.control.clock import Clock, Durations
    from warmroute.local.control.readiness import Readiness

_INSTALLING = threading.Lock()


def install(
    *, clock: Clock | None = None, durations: Durations | None = None, readiness: Readiness | None = None
) -> None:
    """Make moto's SageMaker behave as SageMaker does, for this process.

    Call it before ``moto.mock_aws`` starts or moto's server runs. Calling it again changes only what is given, for
    accounts and regions that are first used from then on; a reset of moto makes all new.

    Args:
        clock: What decides when changes take effect; real time when never given.
        durations: How long changes take.
        readiness: Who knows whether instances serve; they serve at once when never given.

    Raises:
        MissingExtraError: moto is not installed.
        LocalEndpointError: moto is not the release that this version of warmroute extends.
    """
    with _INSTALLING:
        _check_version()
        _attach()
        TIMING.clock = clock or TIMING.clock
        TIMING.durations = durations or TIMING.durations
        TIMING.readiness = readiness or TIMING.readiness


def _check_version() -> None:
    try:
        import moto
    except ImportError:
        raise MissingExtraError("The local endpoint", "local") from None
    if moto.__version__ != MOTO_VERSION:
        raise LocalEndpointError(
            f"moto {moto.__version__} is installed, and the local endpoint extends moto {MOTO_VERSION}.",
            "Run: pip install 'warmroute[local]'",
        )


def _attach() -> None:
    try:
        from warmroute.local.cloudformation import hooks as cloudformation_hooks
        from warmroute.local.control import hooks
    except ModuleNotFoundError as error:
        # moto without its server extra lacks what some of its services import.
        raise MissingExtraError("The local endpoint", "local") from error
    refuse_missing_parts((*hooks.RELIED_ON, *cloudformation_hooks.RELIED_ON))
    hooks.attach()
    cloudformation_hooks.attach()
