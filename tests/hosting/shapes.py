"""Compares our settings with the shapes of AWS's service models, field by field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.loaders
import botocore.session
from botocore.model import ServiceModel

from warmroute.settings import Settings

_SOURCE = re.compile(r"Source: botocore (?:(?P<service>application-autoscaling) )?``(?P<shape>\w+)``")
_ANY_TEXT = {".*", r"[\s\S]+"}
_NUMBERS = {"integer": "integer", "long": "integer", "float": "number", "double": "number"}


@dataclass(frozen=True)
class Claim:
    """A class that says which shape it holds."""

    cls: type[Settings]
    service: str
    shape: str


def claims(classes: set[type[Settings]]) -> list[Claim]:
    """The classes whose docstring names a shape of botocore's."""
    found = []
    for cls in classes:
        named = _SOURCE.search(" ".join((cls.__doc__ or "").split()))
        if named:
            found.append(Claim(cls, named["service"] or "sagemaker", named["shape"]))
    return sorted(found, key=lambda claim: claim.cls.__name__)


def settings_classes() -> set[type[Settings]]:
    """Every class of settings in the SDK's foundations."""

    def below(cls: type[Settings]) -> set[type[Settings]]:
        return {cls}.union(*(below(each) for each in cls.__subclasses__()))

    homes = ("warmroute.routing", "warmroute.hosting")
    return {cls for cls in below(Settings) - {Settings} if cls.__module__.startswith(homes)}


@cache
def description(service: str) -> dict[str, Any]:
    """The service model as botocore ships it."""
    return botocore.loaders.Loader().load_service_model(service, "service-2")


def doctored(service: str, **changes: dict[str, Any]) -> ServiceModel:
    """The service model with some shapes changed.

    Args:
        service: The service.
        changes: For each shape, the attributes that replace its own.
    """
    model = description(service)
    shapes = {**model["shapes"], **{name: model["shapes"].get(name, {}) | change for name, change in changes.items()}}
    return ServiceModel({**model, "shapes": shapes}, service)


def differences(cls: type[Settings], shape: Any, held_by: dict[type[Settings], set[str]]) -> list[str]:
    """What a class says otherwise than its shape, each as one line; empty when they agree.

    Args:
        cls: Our class.
        shape: Structure shape of botocore's.
        held_by: Shapes that each class of ours stands for.
    """
    schema = cls.model_json_schema()
    definitions = schema.pop("$defs", {})
    ours, required = schema["properties"], set(schema.get("required", ()))
    classes = {each.__name__: each for each in held_by}
    found = [f"{name}: not in botocore" for name in sorted(ours.keys() - shape.members.keys())]
    found += [f"{name}: missing" for name in sorted(shape.members.keys() - ours.keys())]
    for name in sorted(ours.keys() & shape.members.keys()):
        wanted, given = name in shape.required_members, name in required
        if wanted != given:
            found.append(f"{name}: {'required' if given else 'optional'} here only")
        member = shape.members[name]
        found += [
            f"{name}{line}"
            for line in _value_differences(
                ours[name], member, definitions=definitions, classes=classes, held_by=held_by
            )
        ]
    return found


def _value_differences(ours: dict[str, Any], shape: Any, **context: Any) -> list[str]:
    ours = _resolve(ours, context["definitions"])
    if shape.type_name == "structure":
        cls = context["classes"].get(ours.get("title"))
        held = cls is not None and shape.name in context["held_by"][cls]
        return [] if held else [f": {ours.get('title')} does not stand for {shape.name}"]
    if shape.type_name == "list":
        if ours.get("type") != "array":
            return [f": {ours.get('type')}, not a list"]
        found = _compare(_sizes(ours, "Items"), _sizes_of(shape), "items")
        return found + [f"[]{line}" for line in _value_differences(ours["items"], shape.member, **context)]
    if shape.type_name == "map":
        return _map_differences(ours, shape, **context)
    return _scalar_differences(ours, shape)


def _map_differences(ours: dict[str, Any], shape: Any, **context: Any) -> list[str]:
    keys: dict[str, Any] = {"type": "string", **ours.get("propertyNames", {})}
    values = ours.get("additionalProperties")
    for pattern, matching in ours.get("patternProperties", {}).items():
        keys["pattern"], values = pattern, matching
    limits = {"min": ours.get("minProperties", 0), "max": ours.get("maxProperties")}
    found = _compare(limits, _sizes_of(shape), "entries")
    found += [f"{{key}}{line}" for line in _value_differences(keys, shape.key, **context)]
    return found + [f"{{value}}{line}" for line in _value_differences(values, shape.value, **context)]


def _scalar_differences(ours: dict[str, Any], shape: Any) -> list[str]:
    limits = shape.metadata
    if shape.type_name == "string":
        if ours.get("type") != "string":
            return [f": {ours.get('type')}, not text"]
        if shape.enum or "enum" in ours:
            odd = sorted(set(ours.get("enum", ())) ^ set(shape.enum))
            return ([f": choices {odd} on one side only"] if "enum" in ours else [": not a choice"]) if odd else []
        pattern = limits.get("pattern")
        wanted = None if pattern in _ANY_TEXT and "pattern" not in ours else pattern and rf"\A(?:{pattern})\Z"
        found = _compare(_sizes(ours, "Length"), _sizes_of(shape), "characters")
        return found if ours.get("pattern") == wanted else [*found, f": pattern {ours.get('pattern')}, not {pattern}"]
    if shape.type_name in _NUMBERS:
        found = (
            [] if ours.get("type") == _NUMBERS[shape.type_name] else [f": {ours.get('type')}, not {shape.type_name}"]
        )
        if "enum" in ours:
            return [*found, f": only {ours['enum']}"]
        bounds = {"min": ours.get("minimum"), "max": ours.get("maximum")}
        found += [f": above {ours['exclusiveMinimum']}"] if "exclusiveMinimum" in ours else []
        return found + _compare(bounds, {"min": limits.get("min"), "max": limits.get("max")}, "")
    return [] if ours.get("type") == shape.type_name else [f": {ours.get('type')}, not {shape.type_name}"]


def _resolve(ours: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema without the null of an absent value and without a reference."""
    given = [option for option in ours.get("anyOf", [ours]) if option.get("type") != "null"]
    assert len(given) == 1, f"a union cannot be compared with one shape: {given}"
    found = given[0]
    if "$ref" in found:
        found = definitions[found["$ref"].removeprefix("#/$defs/")]
    return found | {"enum": [found["const"]]} if "const" in found else found


def _sizes(ours: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"min": ours.get(f"min{kind}", 0), "max": ours.get(f"max{kind}")}


def _sizes_of(shape: Any) -> dict[str, Any]:
    return {"min": shape.metadata.get("min", 0), "max": shape.metadata.get("max")}


def _compare(ours: dict[str, Any], theirs: dict[str, Any], unit: str) -> list[str]:
    return [
        f": {limit} {ours[limit]}{f' {unit}' if unit else ''}, not {theirs[limit]}"
        for limit in ("min", "max")
        if ours[limit] != theirs[limit]
    ]
