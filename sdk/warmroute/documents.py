"""Reads a document, YAML or JSON, as a mapping; every fault of it is one message with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import orjson
import yaml

from warmroute.errors import DocumentError

MAX_DOCUMENT_BYTES = 1_048_576
"""Largest document that is read, in bytes; a spec of ten variants with every field has a few thousand."""


class DocumentKind(NamedTuple):
    """What a document is to be, as messages call it."""

    noun: str
    """With its article: "a spec"."""

    example: str = ""
    """Where the user gets one, as a sentence; empty if nothing writes one."""


def load_mapping(path: str | Path, kind: DocumentKind) -> dict[str, Any]:
    """The mapping in a file.

    Args:
        path: A ``.json`` file, or one of YAML, which includes JSON.
        kind: What the document is to be.

    Raises:
        DocumentError: The file cannot be read, is neither YAML nor JSON, or holds no mapping.
    """
    file = Path(path)
    return parse_mapping(_read(file, kind), str(file), kind, format="json" if file.suffix == ".json" else "yaml")


def parse_mapping(
    text: str,
    name: str,
    kind: DocumentKind,
    *,
    format: Literal["yaml", "json"] = "yaml",  # noqa: A002
) -> dict[str, Any]:
    """The mapping in a text.

    Args:
        text: The document.
        name: What to call it in messages.
        kind: What it is to be.
        format: ``yaml``, which reads JSON too, or ``json``.

    Raises:
        DocumentError: The text is neither YAML nor JSON, or no mapping.
    """
    values = _parse_json(text, name) if format == "json" else _parse_yaml(text, name)
    if not isinstance(values, dict):
        found = _KINDS.get(type(values), "a single value")
        raise DocumentError(f"{name}: the document is {found}, not a mapping of fields.", kind.example)
    return values


_KINDS = {type(None): "empty", list: "a list", str: "text", int: "a number", float: "a number"}


def read_text(stream: BinaryIO, name: str, kind: DocumentKind) -> str:
    """The text of an open document, as far as it has the size of one.

    Args:
        stream: Where to read; a pipe as well as a file.
        name: What to call it in messages.
        kind: What it is to be.

    Raises:
        DocumentError: It is larger than such a document can be, or not UTF-8.
    """
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise DocumentError(
            f"{name}: more than the {MAX_DOCUMENT_BYTES:,} bytes of {kind.noun}.", "Is it another file?"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name}: not UTF-8 text (byte {error.start}).", "Save it as UTF-8.") from None


def _read(file: Path, kind: DocumentKind) -> str:
    try:
        with file.open("rb") as stream:
            return read_text(stream, str(file), kind)
    except FileNotFoundError:
        remedy = f"Give the path of {kind.noun}; {kind.example}" if kind.example else f"Give the path of {kind.noun}."
        raise DocumentError(f"{file}: the file does not exist.", remedy) from None
    except IsADirectoryError:
        raise DocumentError(f"{file}: the file is a folder.", f"Give the path of {kind.noun}.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have.
        reason = getattr(error, "strerror", None) or error
        raise DocumentError(f"{file}: {reason}.", "Check the path and its permissions.") from None


def _parse_json(text: str, name: str) -> Any:
    try:
        orjson.loads(text)  # Stricter than json, which takes NaN.
        return json.loads(text, object_pairs_hook=_each_once)
    except _KeyTwiceError as error:
        raise DocumentError(f"{name}: the key {error.args[0]!r} is given twice.", "Keep one of the two.") from None
    except orjson.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"{name}: not JSON at {where}: {error.msg}.", "Mend it there.") from None
    except (RecursionError, ValueError) as error:  # Nested deeper, or digits longer, than Python reads.
        raise DocumentError(f"{name}: not JSON: {error}.", "Mend it.") from None


class _KeyTwiceError(Exception):
    """A key that a JSON object has twice."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise _KeyTwiceError(key)
        values[key] = value
    return values


class _Loader(yaml.SafeLoader):
    """YAML without two surprises: a key given twice is an error, and aliases cannot blow a small file up."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key!r} is given twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        value = super().construct_scalar(node)
        # JSON writes characters beyond U+FFFF as two escapes, which PyYAML leaves apart.
        return value.encode("utf-16", "surrogatepass").decode("utf-16") if isinstance(value, str) else value

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=mark)
        return super().compose_node(parent, index)


def _parse_yaml(text: str, name: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader.
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DocumentError(f"{name}: not YAML{where}: {error.problem}.", "Mend it there.") from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, LookupError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DocumentError(f"{name}: not YAML: {reason}.", "Mend it.") from None
