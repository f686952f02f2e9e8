"""What an update does to each resource: by what its properties come to, not by how the template says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.intrinsics import evaluate
from warmroute.local.cloudformation.refusals import ResourceFailedError, invalid
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.stacks import StackResource
from warmroute.local.cloudformation.target import TargetScope
from warmroute.local.cloudformation.types import type_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.stacks import Stack, Stacks
    from warmroute.local.cloudformation.target import Target

LATER = "{{changeSet:KNOWN_AFTER_APPLY}}"
"""What a change set shows for what only an execution can tell. Source: CloudFormation, of change sets."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to a resource that exists."""

    properties: tuple[str, ...]
    """Those that change."""

    replacing: tuple[str, ...]
    """Those among them that take a new resource."""


def wanted_properties(target: Target, logical_id: str, scope: TargetScope) -> dict[str, Any]:
    """What the properties of a resource come to, with the stack's tags, in the types of the schema.

    Raises:
        ResourceFailedError: They do not fit the schema.
        RefusedError: A function refers to what does not exist.
    """
    declaration = target.declarations[logical_id]
    properties = evaluate(declaration.get("Properties") or {}, scope)
    if not isinstance(properties, dict):
        raise invalid(f"Template error: the properties of {logical_id} do not come to an object.")
    schema = schema_of(declaration["Type"])
    if schema is None:
        return dict(properties)
    conformed = schema.conform(properties)
    if target.tags and schema.tag_property:
        own = conformed.get(schema.tag_property, [])
        named = {tag["Key"] for tag in own}
        inherited = [{"Key": key, "Value": value} for key, value in target.tags.items() if key not in named]
        conformed[schema.tag_property] = [*own, *inherited]
    return conformed


def compare(resource: StackResource, wanted: Mapping[str, Any]) -> Change | None:
    """What it takes to give a resource other properties; none when it has them.

    Raises:
        ResourceFailedError: A replacement would bear the name of what it replaces.
    """
    before = resource.properties
    changed = tuple(sorted(key for key in {*before, *wanted} if before.get(key) != wanted.get(key)))
    if not changed:
        return None
    kind = type_of(resource.type)
    schema = schema_of(resource.type)
    replacing = set(schema.needs_replacement(before, wanted)) if schema is not None else set()
    replacing |= kind.also_replacing & set(changed)
    if kind.must_replace(before, wanted):
        replacing |= set(changed)
    name = kind.name_property
    if replacing and name and wanted.get(name) is not None and before.get(name) == wanted[name]:
        raise ResourceFailedError(
            "CloudFormation cannot update a stack when a custom-named resource requires replacing. "
            f"Rename {wanted[name]} and update the stack again."
        )
    return Change(changed, tuple(sorted(replacing)))


def foreseen_changes(stacks: Stacks, stack: Stack, target: Target) -> list[dict[str, Any]]:
    """What an update would do, as DescribeChangeSet has it; nothing is changed."""
    seen = {logical_id: _placeholder(stack, target, logical_id) for logical_id in target.declarations}
    scope = TargetScope(target, seen, stacks, arn=stack.arn)
    changes = []
    for logical_id, declaration in target.declarations.items():
        before = stack.resources.get(logical_id)
        if before is None:
            changes.append(_resource_change("Add", logical_id, declaration["Type"], None, target))
            continue
        refuse_other_type(before, declaration)
        try:
            change = compare(before, wanted_properties(target, logical_id, scope))
        except ResourceFailedError as failed:
            # The update itself fails with it; what a change set can show is that it touches the resource.
            raise invalid(f"{logical_id}: {failed.reason}") from None
        if change is None:
            seen[logical_id] = before
            continue
        seen[logical_id] = _placeholder(stack, target, logical_id) if change.replacing else before
        changes.append(_resource_change("Modify", logical_id, before.type, change, target, before.physical_id))
    changes.extend(
        _resource_change("Remove", logical_id, before.type, None, target, before.physical_id)
        for logical_id, before in stack.resources.items()
        if logical_id not in target.declarations
    )
    return changes


def refuse_other_type(before: StackResource, declaration: Mapping[str, Any]) -> None:
    """Refuse to make a resource one of another type.

    Raises:
        RefusedError: The template wants to.
    """
    if before.type != declaration["Type"]:
        raise invalid(
            "Update of resource type is not permitted. The new template modifies resource type of the following "
            f"resources: [{before.logical_id}]"
        )


def _placeholder(stack: Stack, target: Target, logical_id: str) -> StackResource:
    """A resource whose id and attributes nobody knows yet."""
    before = stack.resources.get(logical_id)
    if before is not None:
        return replace(before, physical_id=LATER, attributes=_Later())
    declaration = target.declarations[logical_id]
    return StackResource(logical_id, declaration["Type"], {}, declaration, frozenset(), LATER, attributes=_Later())


class _Later(dict[str, Any]):
    """Attributes that only an execution can tell."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> str:
        return LATER


def _resource_change(
    action: str, logical_id: str, kind: str, change: Change | None, target: Target, physical_id: str | None = None
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "Action": action,
        "LogicalResourceId": logical_id,
        "ResourceType": kind,
        "Scope": ["Properties"] if change else [],
        "Details": [],
    }
    if physical_id:
        described["PhysicalResourceId"] = physical_id
    if change is not None:
        declared = target.declarations[logical_id].get("Properties") or {}
        described["Replacement"] = "True" if change.replacing else "False"
        described["Details"] = [
            {
                "Target": {
                    "Attribute": "Tags" if name == "Tags" else "Properties",
                    "Name": name,
                    "RequiresRecreation": "Always" if name in change.replacing else "Never",
                },
                "Evaluation": "Static",
                "ChangeSource": "ResourceReference" if isinstance(declared.get(name), dict) else "DirectModification",
            }
            for name in change.properties
        ]
    if action == "Remove":
        described["PolicyAction"] = "Delete"
    return {"Type": "Resource", "ResourceChange": described}
