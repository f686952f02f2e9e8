"""The spec that a construct is given, or the file of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.hosting import EndpointSpec, load_spec
from warmroute_cdk.failures import named

if TYPE_CHECKING:
    from pathlib import Path


def spec_of(given: EndpointSpec | str | Path, path: str) -> EndpointSpec:
    """The spec.

    Args:
        given: A spec, or the path of its file.
        path: Path of the construct, which begins every message.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
    """
    with named(path):
        return given if isinstance(given, EndpointSpec) else load_spec(given)
