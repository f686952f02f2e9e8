"""Reads a spec from a file: YAML or JSON, our own document or what ``describe-endpoint-config`` returns."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from warmroute.documents import DocumentKind, load_mapping, parse_mapping
from warmroute.hosting.spec import EndpointSpec

SPEC = DocumentKind("a spec", "`warmroute init` writes one.")


def load_spec(path: str | Path) -> EndpointSpec:
    """The spec of a file.

    Args:
        path: A ``.yaml``, ``.yml`` or ``.json`` file.

    Raises:
        DocumentError: The file cannot be read, or is neither YAML nor JSON.
        InvalidSettingsError: The spec has errors; all of them are reported.
    """
    return EndpointSpec.parse(load_mapping(path, SPEC), name=str(Path(path)))


def parse_spec(text: str, *, name: str = "spec", format: Literal["yaml", "json"] = "yaml") -> EndpointSpec:  # noqa: A002
    """The spec of a text.

    Args:
        text: The document.
        name: What to call it in messages.
        format: ``yaml``, which reads JSON too, or ``json``.

    Raises:
        DocumentError: The text is neither YAML nor JSON.
        InvalidSettingsError: The spec has errors; all of them are reported.
    """
    return EndpointSpec.parse(parse_mapping(text, name, SPEC, format=format), name=name)
