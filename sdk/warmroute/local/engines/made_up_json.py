"""A small value of JSON that a schema allows, as far as the usual keywords say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def made_up(schema: Any) -> Any:
    """The first value, or the smallest, that a schema allows; of an object, what it requires alone.

    Understood are ``type``, ``enum``, ``const``, ``default``, ``properties``, ``required``, ``items``, ``minItems``,
    ``minLength``, ``minimum``, ``exclusiveMinimum``, ``maximum``, ``exclusiveMaximum``, ``allOf``, ``$ref`` within the
    schema, and the first of ``anyOf`` or ``oneOf`` that does not lead back to where it stands. What else it says may
    not hold for the value.

    Args:
        schema: A JSON schema.
    """
    return _Maker(schema).value(schema, 0, frozenset("#"))


_DEEPEST = 32
"""Levels after which a schema that demands itself has gone round in a circle."""

_MOST_SCHEMAS = 1_000
"""Schemas that are followed for one value; one that demands itself twice would have no end otherwise."""

_LONGEST = 1_000
"""Characters that are made, whatever a schema demands: a call is no place for more."""


class _Maker:
    """Makes one value, of bounded size.

    Args:
        root: What references point into.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = _MOST_SCHEMAS

    def value(self, schema: Any, depth: int, outer: frozenset[str]) -> Any:
        """The value of a schema that stands in others, which are known by the references that led into them."""
        references = set(outer)
        flat = self._flat(schema, depth, references)
        if flat is None:
            return {}
        first = flat.get("enum")
        if isinstance(first, list) and first:
            return first[0]
        for name in ("const", "default"):
            if name in flat:
                return flat[name]
        return self._of_type(flat, depth + 1, frozenset(references))

    def _of_type(self, schema: Mapping[str, Any], depth: int, outer: frozenset[str]) -> Any:
        match _type(schema):
            case "object":
                properties, required = schema.get("properties"), schema.get("required")
                known = properties if isinstance(properties, Mapping) else {}
                names = [each for each in required if isinstance(each, str)] if isinstance(required, list) else []
                value: Any = {name: self.value(known.get(name), depth, outer) for name in names}
            case "array":
                least = min(_count(schema, "minItems"), self._left)
                value = [self.value(schema.get("items"), depth, outer) for _ in range(least)]
            case "integer":
                value = _number(schema, step=1)
            case "number":
                value = _number(schema, step=0.5)
            case "boolean":
                value = False
            case "null":
                value = None
            case _:
                value = "text".ljust(min(_count(schema, "minLength"), _LONGEST), "t")
        return value

    def _flat(self, schema: Any, depth: int, references: set[str]) -> dict[str, Any] | None:
        """A schema with what it refers to and combines written into it; None where it has gone too far."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return None
        flat = dict(schema) if isinstance(schema, Mapping) else {}
        parts = []
        if "$ref" in flat:
            reference = str(flat.pop("$ref"))
            references.add(reference)
            parts.append(_referred(reference, self._root))
        for name in ("anyOf", "oneOf"):
            choices = flat.pop(name, None)
            if isinstance(choices, list) and choices:
                parts.append(next((each for each in choices if not _refers(each, references)), choices[0]))
        combined = flat.pop("allOf", None)
        parts += combined if isinstance(combined, list) else []
        for part in parts:
            inner = self._flat(part, depth + 1, references) or {}
            for name in ("properties", "required"):
                if name in flat and name in inner:
                    inner[name] = _both(flat[name], inner[name])
            flat |= inner
        return flat


def _refers(schema: Any, references: set[str]) -> bool:
    return isinstance(schema, Mapping) and str(schema.get("$ref")) in references


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {**one, **other}
    return [*one, *other] if isinstance(one, list) and isinstance(other, list) else one


def _referred(reference: str, root: Any) -> Any:
    found = root
    for part in reference.removeprefix("#").split("/")[1:]:
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(iter(kind), None)
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in schema or "required" in schema else "string"


def _count(schema: Mapping[str, Any], name: str) -> int:
    value = schema.get(name)
    return value if type(value) is int and value > 0 else 0


def _number(schema: Mapping[str, Any], *, step: float) -> float:
    """Zero, or the number within the bounds that is nearest to it."""
    low, high = _bound(schema, "minimum"), _bound(schema, "maximum")
    above, below = _bound(schema, "exclusiveMinimum"), _bound(schema, "exclusiveMaximum")
    number: float = 0
    if low is not None and low > number:
        number = math.ceil(low) if step == 1 else low
    if above is not None and above >= number:
        number = math.floor(above) + 1 if step == 1 else above + step
    if high is not None and high < number:
        number = math.floor(high) if step == 1 else high
    if below is not None and below <= number:
        number = math.ceil(below) - 1 if step == 1 else below - step
    return number if abs(number) < _MOST_NUMBER else float(number)


_MOST_NUMBER = 1 << 63
"""From here on a whole number is written as 1e19, which JSON Schema calls an integer too."""


def _bound(schema: Mapping[str, Any], name: str) -> float | None:
    value = schema.get(name)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) else None
