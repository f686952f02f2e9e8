"""The page of every field of a spec, from its JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from generating.tables import table

from warmroute.hosting import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGINNING = """# Every field of a spec

Made from the JSON Schema that `warmroute schema` prints. A field that is not *required* may be left out; its default
is then none, unless the table says otherwise. AWS's PascalCase spelling is read as well. [The spec](spec.md) is the
introduction, and [the checks](checks.md) are the rules across fields.

"""

Schema = Mapping[str, Any]


def fields_page() -> str:
    """The page of every object of a spec and its fields, in the order in which a reader meets them."""
    schema = _schema()
    sections = [_section("EndpointSpec", schema)]
    sections += [_section(name, schema["$defs"][name]) for name in _in_order(schema["properties"], set())]
    return BEGINNING + "\n".join(sections)


@cache
def _schema() -> Schema:
    return json_schema()


def _in_order(fields: Schema, seen: set[str]) -> Iterator[str]:
    """Names of the objects that fields hold, each once, before those that its own fields hold."""
    for name in re.findall(r"'\$ref': '#/\$defs/(\w+)'", str(fields)):
        if name not in seen and "properties" in _schema()["$defs"][name]:
            seen.add(name)
            yield name
            yield from _in_order(_schema()["$defs"][name]["properties"], seen)


def _section(name: str, schema: Schema) -> str:
    required = schema.get("required", [])
    rows = [
        (f"`{field}`{', required' if field in required else ''}", _kind(about), _meaning(about))
        for field, about in schema["properties"].items()
    ]
    described = schema["description"].replace("``", "`")
    return f"## {name}\n\n{described}\n\n" + table(("field", "value", "what it means"), rows)


def _meaning(about: Schema) -> str:
    said = str(about["description"]).replace("``", "`")
    default = about.get("default")
    return said if default is None or isinstance(default, dict) else f"{said} Default: `{json.dumps(default)}`."


def _kind(about: Schema) -> str:
    """What a field may hold, in words, with its limits."""
    if "$ref" in about:
        return _linked(about["$ref"].rpartition("/")[2])
    if choices := about.get("enum", [about["const"]] if "const" in about else []):
        return ", ".join(f"`{choice}`" for choice in choices)
    if several := about.get("anyOf", about.get("oneOf")):
        return " or ".join(dict.fromkeys(_kind(each) for each in several if each.get("type") != "null"))
    return _KINDS[about.get("type")](about)


def _list(about: Schema) -> str:
    return " ".join(f"list of {_between(about, 'minItems', 'maxItems')} {_kind(about['items'])}".split())


def _mapping(about: Schema) -> str:
    return f"mapping of names to {_kind(about['additionalProperties'])}"


_KINDS: Mapping[str | None, Callable[[Schema], str]] = {
    "array": _list,
    "object": _mapping,
    "integer": lambda about: _with("whole number", _between(about, "minimum", "maximum")),
    "number": lambda about: _with("number", _between(about, "minimum", "maximum")),
    "string": lambda about: _with("text", _between(about, "minLength", "maxLength"), " characters"),
    "boolean": lambda _about: "true or false",
    None: lambda _about: "any JSON value",
}


def _linked(name: str) -> str:
    definition = _schema()["$defs"][name]
    return f"[{name}](#{name.lower()})" if "properties" in definition else _kind(definition)


def _with(kind: str, limits: str, unit: str = "") -> str:
    return f"{kind}, {limits}{unit}" if limits else kind


def _between(about: Schema, least: str, most: str) -> str:
    low, above, high = (about.get(name) for name in (least, "exclusiveMinimum", most))
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    limits = (("at least", low), ("above", above), ("at most", high))
    return " and ".join(f"{words} {limit:,}" for words, limit in limits if limit is not None)
