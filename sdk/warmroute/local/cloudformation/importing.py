"""Takes resources that exist into a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.applying import conclude
from warmroute.local.cloudformation.changes import wanted_properties
from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.resources import refresh
from warmroute.local.cloudformation.stacks import StackResource
from warmroute.local.cloudformation.target import TargetScope
from warmroute.local.cloudformation.types import type_of
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.stacks import Operation, Stack, Stacks
    from warmroute.local.cloudformation.target import Target


def bring_in(stacks: Stacks, stack: Stack, target: Target, identifiers: Mapping[str, Mapping[str, str]]) -> Operation:
    """Take existing resources into a stack.

    Args:
        stacks: The account.
        stack: The stack.
        target: What it is to be; the resources that it lacks are those to import.
        identifiers: What tells each of them from others of its type, by logical id.
    """
    before = stack.target
    stack.become("IMPORT_IN_PROGRESS", stacks.clock.now(), "User Initiated")
    scope = TargetScope(target, stack.resources, stacks, arn=stack.arn)
    taken: list[str] = []
    try:
        for logical_id in target.declarations:
            if logical_id not in stack.resources:
                _bring_in_one(stacks, stack, target, scope, logical_id, identifiers[logical_id])
                taken.append(logical_id)
        conclude(stacks, stack, target)
    except ResourceFailedError as failed:
        stack.become("IMPORT_ROLLBACK_IN_PROGRESS", stacks.clock.now(), failed.reason)
        for logical_id in taken:
            del stack.resources[logical_id]
        stack.target = before
        stack.become("IMPORT_ROLLBACK_COMPLETE", stacks.clock.now())
        return
    stack.target, stack.updated = target, stacks.clock.now()
    stack.become("IMPORT_COMPLETE", stacks.clock.now())
    yield from ()


def _bring_in_one(
    stacks: Stacks, stack: Stack, target: Target, scope: TargetScope, logical_id: str, identifier: Mapping[str, str]
) -> None:
    declaration = target.declarations[logical_id]
    resource = StackResource(logical_id, declaration["Type"], {}, declaration, target.dependencies(logical_id))
    try:
        resource.properties = wanted_properties(target, logical_id, scope)
        resource.physical_id = type_of(resource.type).physical_id(identifier)
        stacks.refuse_owned(resource)
        _refuse_absence(stacks, resource)
    except (ResourceFailedError, RefusedError) as failed:
        reason = failed.reason if isinstance(failed, ResourceFailedError) else failed.message
        stack.tell(resource, "IMPORT_FAILED", stacks.clock.now(), reason)
        raise ResourceFailedError(f"The following resource(s) failed to import: [{logical_id}].") from failed
    refresh(stacks, resource)
    stack.resources[logical_id] = resource
    stack.tell(resource, "IMPORT_IN_PROGRESS", stacks.clock.now(), "Resource import started.")
    stack.tell(resource, "IMPORT_COMPLETE", stacks.clock.now(), "Resource import completed.")


def _refuse_absence(stacks: Stacks, resource: StackResource) -> None:
    if type_of(resource.type).read(stacks.api, resource) is None:
        raise ResourceFailedError(
            f"Resource of type '{resource.type}' with identifier '{resource.physical_id}' was not found."
        )
