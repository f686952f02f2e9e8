"""Reads the spec that a command is given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec


def read_spec(path: str) -> EndpointSpec:
    """The spec of a file, or of standard input for ``-``.

    Raises:
        DocumentError: It cannot be read or parsed.
        InvalidSettingsError: It has errors.
    """
    from warmroute.hosting import load_spec, parse_spec

    if path == "-":
        return parse_spec(sys.stdin.read(), name="standard input")
    return load_spec(path)
