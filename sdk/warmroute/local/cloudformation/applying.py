"""A step at a time, what a stack has becomes what its target says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.changes import compare, refuse_other_type, wanted_properties
from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.resources import change, copy_of, make, remove
from warmroute.local.cloudformation.rollback import Entry
from warmroute.local.cloudformation.stacks import StackResource
from warmroute.local.cloudformation.target import TargetScope
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.stacks import Operation, Stack, Stacks
    from warmroute.local.cloudformation.target import Target


def apply(stacks: Stacks, stack: Stack, target: Target) -> Operation:
    """Make and change resources until the stack has what the target says; what it has too much stays.

    Raises:
        ResourceFailedError: One cannot be made or changed; the journal says what was changed until then.
    """
    # What is resolved counts at once as imported, beside what the stack imported before: its rollback needs that again.
    scope = TargetScope(target, stack.resources, stacks, arn=stack.arn, imports=stack.imports)
    for logical_id, declaration in target.declarations.items():
        before = stack.resources.get(logical_id)
        if before is not None and before.status == "CREATE_FAILED":
            yield from remove(stacks, stack, before)
            del stack.resources[logical_id]
            stack.journal = [entry for entry in stack.journal if entry.resource is not before]
            before = None
        fresh = StackResource(logical_id, declaration["Type"], {}, declaration, target.dependencies(logical_id))
        verb = "CREATE" if before is None else "UPDATE"
        try:
            if before is not None:
                refuse_other_type(before, declaration)
            wanted = wanted_properties(target, logical_id, scope)
            yield from _settle(stacks, stack, fresh, before, wanted)
        except (ResourceFailedError, RefusedError) as failed:
            resource = stack.resources.setdefault(logical_id, fresh)
            reason = failed.reason if isinstance(failed, ResourceFailedError) else failed.message
            stack.tell(resource, f"{verb}_FAILED", stacks.clock.now(), reason)
            if before is None and all(entry.resource is not resource for entry in stack.journal):
                stack.journal.append(Entry(resource, None))
            words = "create" if verb == "CREATE" else "update"
            raise ResourceFailedError(f"The following resource(s) failed to {words}: [{logical_id}].") from failed
        if stack.is_cancelled:
            raise ResourceFailedError("User Initiated")
    conclude(stacks, stack, target)


def _settle(
    stacks: Stacks, stack: Stack, fresh: StackResource, before: StackResource | None, wanted: Mapping[str, Any]
) -> Operation:
    logical_id = fresh.logical_id
    fresh.properties = wanted
    difference = compare(before, wanted) if before is not None else None
    if before is not None and difference is None and before.status != "UPDATE_FAILED":
        before.declaration, before.dependencies = fresh.declaration, fresh.dependencies
        return
    if before is None or not before.physical_id or (difference is not None and difference.replacing):
        stack.resources[logical_id] = fresh
        stack.journal.append(Entry(fresh, before))
        if before is not None:
            stack.tell(before, "UPDATE_IN_PROGRESS", stacks.clock.now(), _REPLACING)
        yield from make(stacks, stack, fresh, verb="CREATE" if before is None else "UPDATE")
        return
    stack.journal.append(Entry(before, copy_of(before)))
    before.declaration, before.dependencies = fresh.declaration, fresh.dependencies
    yield from change(stacks, stack, before, wanted)


_REPLACING = "Requested update requires the creation of a new physical resource; hence creating one."


def conclude(stacks: Stacks, stack: Stack, target: Target) -> None:
    """Give a stack its outputs and exports.

    Raises:
        ResourceFailedError: An export's name is taken, or one that is in use would go or change.
    """
    scope = TargetScope(target, stack.resources, stacks, arn=stack.arn)
    try:
        for logical_id in target.declarations:
            wanted_properties(target, logical_id, scope)  # For the exports that unchanged resources import.
        outputs = scope.outputs()
    except RefusedError as refused:
        raise ResourceFailedError(refused.message) from None
    exported = {each["ExportName"]: each["OutputValue"] for each in outputs if each.get("ExportName")}
    for name, (other, value) in stacks.exports().items():
        if other is not stack and name in exported:
            raise ResourceFailedError(f"Export with name {name} is already exported by stack {other.name}.")
        users = stacks.importers(name) if other is stack and exported.get(name) != value else []
        if users:
            verb = "updated" if name in exported else "deleted"
            raise ResourceFailedError(f"Export {name} cannot be {verb} as it is in use by {', '.join(users)}.")
    stack.outputs, stack.imports = outputs, scope.imports
