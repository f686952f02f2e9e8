"""The spec that a construct is given, or the file of one."""

from __future__ import annotations

from pathlib import Path

from warmroute.hosting import EndpointSpec, load_spec
from warmroute_cdk.failures import ConstructError, named


def spec_of(given: EndpointSpec | str | Path, path: str) -> EndpointSpec:
    """The spec.

    Args:
        given: A spec, or the path of its file.
        path: Path of the construct, which begins every message.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
        ConstructError: It is neither.
    """
    if isinstance(given, EndpointSpec):
        return given
    with named(path):
        if not isinstance(given, str | Path):
            raise ConstructError(
                f"its spec is {type(given).__name__}.", "Give an EndpointSpec, as EndpointSpec.parse makes, or a file."
            )
        return load_spec(given)
