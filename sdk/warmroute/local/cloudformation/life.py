"""The life of a stack: created, updated, imported into, rolled back and deleted, a step at a time.

Resources are made one after the other, each once those that it needs are complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.changes import compare, refuse_other_type, wanted_properties
from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.resources import change, copy_of, make, refresh, remove, skip
from warmroute.local.cloudformation.rollback import Entry, undo
from warmroute.local.cloudformation.stacks import StackResource
from warmroute.local.cloudformation.target import TargetScope, order
from warmroute.local.cloudformation.types import type_of
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from warmroute.local.cloudformation.stacks import Operation, Stack, Stacks
    from warmroute.local.cloudformation.target import Target


def create(stacks: Stacks, stack: Stack, target: Target, *, on_failure: str = "ROLLBACK") -> Operation:
    """Make a stack's resources.

    Args:
        stacks: The account.
        stack: The stack.
        target: What it is to be.
        on_failure: ``ROLLBACK``, ``DELETE`` or ``DO_NOTHING``.
    """
    stack.target, stack.created = target, stacks.clock.now()
    _become(stacks, stack, "CREATE_IN_PROGRESS", "User Initiated")
    try:
        yield from _apply(stacks, stack, target)
    except ResourceFailedError as failed:
        if on_failure == "DO_NOTHING":
            _become(stacks, stack, "CREATE_FAILED", failed.reason)
        elif on_failure == "DELETE":
            yield from delete(stacks, stack, why=failed.reason)
        else:
            yield from roll_back_creation(stacks, stack, why=f"{failed.reason} Rollback requested by user.")
        return
    stack.journal.clear()
    _become(stacks, stack, "CREATE_COMPLETE")


def roll_back_creation(stacks: Stacks, stack: Stack, *, why: str = "") -> Operation:
    """Delete what a failed creation has made."""
    _become(stacks, stack, "ROLLBACK_IN_PROGRESS", why)
    try:
        yield from undo(stacks, stack)
    except ResourceFailedError as failed:
        _become(stacks, stack, "ROLLBACK_FAILED", failed.reason)
        return
    stack.outputs, stack.imports = [], set()
    _become(stacks, stack, "ROLLBACK_COMPLETE")


def update(stacks: Stacks, stack: Stack, target: Target) -> Operation:
    """Make a stack what another template or other parameters say, or leave it as it was."""
    stack.is_cancelled = False
    if not stack.status.endswith("_FAILED"):
        stack.previous = stack.target
    stack.target, stack.updated = target, stacks.clock.now()
    _become(stacks, stack, "UPDATE_IN_PROGRESS", "User Initiated")
    try:
        yield from _apply(stacks, stack, target)
    except ResourceFailedError as failed:
        if stack.disable_rollback:
            _become(stacks, stack, "UPDATE_FAILED", failed.reason)
            return
        back = roll_back_update if stack.previous is not None else roll_back_creation
        yield from back(stacks, stack, why=failed.reason)
        return
    _become(stacks, stack, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
    yield from _clean_up(stacks, stack)
    _become(stacks, stack, "UPDATE_COMPLETE")


def roll_back_update(stacks: Stacks, stack: Stack, *, why: str = "", skipping: Collection[str] = ()) -> Operation:
    """Take a stack back to what it was before its update failed."""
    stack.is_cancelled = False
    _become(stacks, stack, "UPDATE_ROLLBACK_IN_PROGRESS", why)
    if stack.previous is not None:
        stack.target = stack.previous
    try:
        yield from undo(stacks, stack, skipping=skipping)
    except ResourceFailedError as failed:
        reason = (
            f"The following resource(s) failed to update: [{stack.journal[-1].resource.logical_id}]. {failed.reason}"
        )
        _become(stacks, stack, "UPDATE_ROLLBACK_FAILED", reason)
        return
    for logical_id, declaration in stack.target.declarations.items():
        if logical_id in stack.resources:
            resource = stack.resources[logical_id]
            resource.declaration, resource.dependencies = declaration, stack.target.dependencies(logical_id)
    _become(stacks, stack, "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
    _conclude(stacks, stack, stack.target)
    _become(stacks, stack, "UPDATE_ROLLBACK_COMPLETE")


def bring_in(stacks: Stacks, stack: Stack, target: Target, identifiers: Mapping[str, Mapping[str, str]]) -> Operation:
    """Take existing resources into a stack.

    Args:
        stacks: The account.
        stack: The stack.
        target: What it is to be; the resources that it lacks are those to import.
        identifiers: What tells each of them from others of its type, by logical id.
    """
    before = stack.target
    _become(stacks, stack, "IMPORT_IN_PROGRESS", "User Initiated")
    scope = TargetScope(target, stack.resources, stacks, arn=stack.arn)
    taken: list[str] = []
    try:
        for logical_id in target.declarations:
            if logical_id not in stack.resources:
                _bring_in(stacks, stack, target, scope, logical_id, identifiers[logical_id])
                taken.append(logical_id)
        _conclude(stacks, stack, target)
    except ResourceFailedError as failed:
        _become(stacks, stack, "IMPORT_ROLLBACK_IN_PROGRESS", failed.reason)
        for logical_id in taken:
            del stack.resources[logical_id]
        stack.target = before
        _become(stacks, stack, "IMPORT_ROLLBACK_COMPLETE")
        return
    stack.target, stack.updated = target, stacks.clock.now()
    _become(stacks, stack, "IMPORT_COMPLETE")
    yield from ()


def delete(stacks: Stacks, stack: Stack, *, retaining: Collection[str] = (), why: str = "User Initiated") -> Operation:
    """Delete a stack's resources, each before those that it needs."""
    _become(stacks, stack, "DELETE_IN_PROGRESS", why)
    for name, (exporter, _) in stacks.exports().items():
        users = stacks.importers(name)
        if exporter is stack and users:
            reason = f"Export {name} cannot be deleted as it is in use by {', '.join(users)}."
            _become(stacks, stack, "DELETE_FAILED", reason)
            return
    policies = {
        **dict.fromkeys(_replaced(stack), "UpdateReplacePolicy"),
        **dict.fromkeys(stack.resources.values(), "DeletionPolicy"),
    }
    failed = yield from _remove_all(stacks, stack, policies, retaining)
    if failed:
        reason = f"The following resource(s) failed to delete: [{', '.join(failed)}]."
        _become(stacks, stack, "DELETE_FAILED", reason)
        return
    stack.resources.clear()
    stack.journal.clear()
    stack.imports, stack.deleted = set(), stacks.clock.now()
    _become(stacks, stack, "DELETE_COMPLETE")


def _apply(stacks: Stacks, stack: Stack, target: Target) -> Operation:
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
    _conclude(stacks, stack, target)


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


def _clean_up(stacks: Stacks, stack: Stack) -> Operation:
    """Delete what a successful update has replaced or no longer has."""
    declared = stack.target.declarations
    replaced = _replaced(stack)
    removed = [resource for logical_id, resource in stack.resources.items() if logical_id not in declared]
    policies = {**dict.fromkeys(removed, "DeletionPolicy"), **dict.fromkeys(replaced, "UpdateReplacePolicy")}
    yield from _remove_all(stacks, stack, policies)
    for resource in removed:
        del stack.resources[resource.logical_id]
    stack.journal.clear()


def _replaced(stack: Stack) -> list[StackResource]:
    """What updates have replaced and nobody has deleted yet; after a failed update there may be several of one id."""
    return [entry.before for entry in stack.journal if entry.before is not None and not entry.is_in_place]


def _remove_all(
    stacks: Stacks, stack: Stack, policies: Mapping[StackResource, str], retaining: Collection[str] = ()
) -> Any:
    """Delete resources, each before those that it needs.

    Args:
        stacks: The account.
        stack: The stack.
        policies: The resources, each with the attribute that can keep it.
        retaining: Logical ids of resources that are kept anyway.

    Returns:
        The logical ids of those that cannot be deleted.
    """
    needed: dict[str, frozenset[str]] = {}
    for resource in policies:
        needed[resource.logical_id] = needed.get(resource.logical_id, frozenset()) | resource.dependencies
    failed: list[str] = []
    turns = {logical_id: turn for turn, logical_id in enumerate(reversed(order(needed)))}
    for resource in sorted(policies, key=lambda each: turns[each.logical_id]):
        logical_id = resource.logical_id
        if resource.is_retained(policies[resource]) or logical_id in retaining:
            skip(stacks, stack, resource)
            continue
        try:
            yield from remove(stacks, stack, resource)
        except ResourceFailedError:
            failed.append(logical_id)
            continue
        if stack.resources.get(logical_id) is resource and stack.status == "DELETE_IN_PROGRESS":
            del stack.resources[logical_id]
    return failed


def _bring_in(
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


def _conclude(stacks: Stacks, stack: Stack, target: Target) -> None:
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


def _become(stacks: Stacks, stack: Stack, status: str, reason: str = "") -> None:
    stack.become(status, stacks.clock.now(), reason)
