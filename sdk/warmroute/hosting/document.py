"""Reads a spec from a file: YAML or JSON, our own document or what ``describe-endpoint-config`` returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO, Literal

import orjson
import yaml

from warmroute.errors import DocumentError
from warmroute.hosting.spec import EndpointSpec

MAX_DOCUMENT_BYTES = 1_048_576
"""Largest file that is read as a spec, in bytes; a spec of ten variants with every field has a few thousand."""


def load_spec(path: str | Path) -> EndpointSpec:
    """The spec of a file.

    Args:
        path: A ``.yaml``, ``.yml`` or ``.json`` file.

    Raises:
        DocumentError: The file cannot be read, or is neither YAML nor JSON.
        InvalidSettingsError: The spec has errors; all of them are reported.
    """
    file = Path(path)
    return parse_spec(_read(file), name=str(file), format="json" if file.suffix == ".json" else "yaml")


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
    values = _parse_json(text, name) if format == "json" else _parse_yaml(text, name)
    if not isinstance(values, dict):
        kind = _KINDS.get(type(values), "a single value")
        raise DocumentError(f"{name}: the document is {kind}, not a mapping of fields.", "`warmroute init` writes one.")
    return EndpointSpec.parse(values, name=name)


_KINDS = {type(None): "empty", list: "a list", str: "text", int: "a number", float: "a number"}


def read_text(stream: BinaryIO, name: str) -> str:
    """The text of an open document, as far as it has the size of a spec.

    Args:
        stream: Where to read; a pipe as well as a file.
        name: What to call it in messages.

    Raises:
        DocumentError: It is larger than a spec can be, or not UTF-8.
    """
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise DocumentError(f"{name}: more than the {MAX_DOCUMENT_BYTES:,} bytes of a spec.", "Is it another file?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name}: not UTF-8 text (byte {error.start}).", "Save it as UTF-8.") from None


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return read_text(stream, str(file))
    except FileNotFoundError:
        remedy = "Give the path of a spec; `warmroute init` writes one."
        raise DocumentError(f"{file}: the file does not exist.", remedy) from None
    except IsADirectoryError:
        raise DocumentError(f"{file}: the file is a folder.", "Give the path of a spec.") from None
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
