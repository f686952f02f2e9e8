"""Reads the spec that a command is given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from warmroute.errors import DocumentError

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec


def read_spec(path: str) -> EndpointSpec:
    """The spec of a file, or of standard input for ``-``.

    Raises:
        DocumentError: It cannot be read or parsed.
        InvalidSettingsError: It has errors.
    """
    from warmroute.documents import read_text
    from warmroute.hosting import load_spec, parse_spec
    from warmroute.hosting.document import SPEC

    if path != "-":
        return load_spec(path)
    if sys.stdin is None:
        raise DocumentError("Standard input is closed.", "Give the path of a spec instead of -.")
    name = "standard input"
    return parse_spec(read_text(sys.stdin.buffer, name, SPEC), name=name)
