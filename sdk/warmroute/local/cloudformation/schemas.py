"""What CloudFormation's registry says of a resource type, from the copy of its schemas that cfn-lint carries."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.refusals import ResourceFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

_REGION = "us-east-1"
"""Every type exists there; what a type has does not differ by region."""


@functools.cache
def schema_of(type_name: str) -> Schema | None:
    """The schema of a resource type; none where CloudFormation knows no such type."""
    from cfnlint.schema import ResourceNotFoundError
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    try:
        return Schema(PROVIDER_SCHEMA_MANAGER.get_resource_schema(_REGION, type_name).schema)
    except ResourceNotFoundError:
        return None


class Schema:
    """A resource type's properties, and what changing them means.

    Args:
        document: The schema in the form in which CloudFormation's registry publishes it.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self.properties: Mapping[str, Any] = document.get("properties", {})
        self.read_only = {path[0] for path in self._paths("readOnlyProperties") if len(path) == 1}
        """Properties that only Fn::GetAtt gives."""

        self.write_only = {path[0] for path in self._paths("writeOnlyProperties") if len(path) == 1}
        """Properties that the service never tells."""

        self.identifier = [path[0] for path in self._paths("primaryIdentifier")]
        """Properties that name a resource, when it is imported for example."""

        tagging = document.get("tagging") or {}
        taggable = tagging.get("taggable", False) and tagging.get("tagOnCreate", True)
        tags: str = tagging.get("tagProperty", "/properties/Tags").removeprefix("/properties/")
        self.tag_property = tags if taggable and self._is_tag_list(tags) else None
        """The property that takes the tags of the stack, as a list of keys and values."""

    def needs_replacement(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
        """Properties whose change takes a new resource."""
        paths = self._paths("createOnlyProperties")
        return sorted({path[0] for path in paths if _at(before, path) != _at(after, path)})

    def has_attribute(self, name: str) -> bool:
        """Whether Fn::GetAtt may name it."""
        return name in self.read_only or name.partition(".")[0] in self.properties

    def conform(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Properties in the types that the schema gives them, which in templates may be words.

        Raises:
            ResourceFailedError: One does not exist, or one is missing.
        """
        faults: list[str] = []
        conformed = self._conform({**self._document, "type": "object"}, dict(properties), "#", faults)
        if faults:
            raise ResourceFailedError(f"Model validation failed ({'; '.join(faults)})")
        return dict(conformed)

    def _paths(self, kind: str) -> list[list[str]]:
        return [path.removeprefix("/properties/").split("/") for path in self._document.get(kind) or ()]

    def _is_tag_list(self, name: str) -> bool:
        items = self._resolve(self._resolve(self.properties.get(name, {})).get("items", {}))
        return set(items.get("properties", ())) >= {"Key", "Value"}

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            *_, place, name = node["$ref"].split("/")
            node = self._document[place][name]
        return node

    def _conform(self, node: Mapping[str, Any], value: Any, path: str, faults: list[str]) -> Any:
        node = self._resolve(node)
        kind = node.get("type")
        if kind == "object" and isinstance(value, dict):
            return self._conform_object(node, value, path, faults)
        if kind == "array" and isinstance(value, list):
            items = node.get("items", {})
            return [self._conform(items, each, f"{path}/{number}", faults) for number, each in enumerate(value)]
        if isinstance(kind, str):
            conformed = _in_type(kind, value)
            if kind in {"object", "array"} and conformed is value:
                faults.append(f"{path}: expected type: {kind.title()}, found: {type(value).__name__}")
            return conformed
        return value

    def _conform_object(
        self, node: Mapping[str, Any], value: Mapping[str, Any], path: str, faults: list[str]
    ) -> dict[str, Any]:
        known = node.get("properties", {})
        others = next(iter(node.get("patternProperties", {}).values()), None)
        made = {}
        for key, each in value.items():
            if key in known:
                made[key] = self._conform(known[key], each, f"{path}/{key}", faults)
            elif others is not None:
                made[key] = self._conform(others, each, f"{path}/{key}", faults)
            elif known and node.get("additionalProperties") is False:
                faults.append(f"{path}: extraneous key [{key}] is not permitted")
            else:
                made[key] = each
        faults.extend(f"{path}: required key [{key}] not found" for key in node.get("required", ()) if key not in value)
        return made


def _at(properties: Mapping[str, Any], path: list[str]) -> Any:
    value: Any = properties
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _in_type(kind: str, value: Any) -> Any:
    """A value in another type, where it can be said in it."""
    if kind == "string":
        return (
            str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, (int, float)) else value
        )
    if kind == "boolean" and str(value).lower() in {"true", "false"}:
        return str(value).lower() == "true"
    if kind in {"integer", "number"} and not isinstance(value, bool):
        with contextlib.suppress(ValueError, TypeError):
            number = float(value)
            return int(number) if number.is_integer() else number
    return value
