"""The life of a stack: created, updated, rolled back and deleted, a step at a time.

Resources are made one after the other, each once those that it needs are complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.applying import apply, conclude
from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.removing import clean_up, remove_all, replaced_resources
from warmroute.local.cloudformation.rollback import undo

if TYPE_CHECKING:
    from collections.abc import Collection

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
    stack.become("CREATE_IN_PROGRESS", stacks.clock.now(), "User Initiated")
    try:
        yield from apply(stacks, stack, target)
    except ResourceFailedError as failed:
        if on_failure == "DO_NOTHING":
            stack.become("CREATE_FAILED", stacks.clock.now(), failed.reason)
        elif on_failure == "DELETE":
            yield from delete(stacks, stack, why=failed.reason)
        else:
            yield from roll_back_creation(stacks, stack, why=f"{failed.reason} Rollback requested by user.")
        return
    stack.journal.clear()
    stack.become("CREATE_COMPLETE", stacks.clock.now())


def roll_back_creation(stacks: Stacks, stack: Stack, *, why: str = "") -> Operation:
    """Delete what a failed creation has made."""
    stack.become("ROLLBACK_IN_PROGRESS", stacks.clock.now(), why)
    try:
        yield from undo(stacks, stack)
    except ResourceFailedError as failed:
        stack.become("ROLLBACK_FAILED", stacks.clock.now(), failed.reason)
        return
    stack.outputs, stack.imports = [], set()
    stack.become("ROLLBACK_COMPLETE", stacks.clock.now())


def update(stacks: Stacks, stack: Stack, target: Target) -> Operation:
    """Make a stack what another template or other parameters say, or leave it as it was."""
    stack.is_cancelled = False
    if not stack.status.endswith("_FAILED"):
        stack.previous = stack.target
    stack.target, stack.updated = target, stacks.clock.now()
    stack.become("UPDATE_IN_PROGRESS", stacks.clock.now(), "User Initiated")
    try:
        yield from apply(stacks, stack, target)
    except ResourceFailedError as failed:
        if stack.disable_rollback:
            stack.become("UPDATE_FAILED", stacks.clock.now(), failed.reason)
            return
        back = roll_back_update if stack.previous is not None else roll_back_creation
        yield from back(stacks, stack, why=failed.reason)
        return
    stack.become("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", stacks.clock.now())
    yield from clean_up(stacks, stack)
    stack.become("UPDATE_COMPLETE", stacks.clock.now())


def roll_back_update(stacks: Stacks, stack: Stack, *, why: str = "", skipping: Collection[str] = ()) -> Operation:
    """Take a stack back to what it was before its update failed."""
    stack.is_cancelled = False
    stack.become("UPDATE_ROLLBACK_IN_PROGRESS", stacks.clock.now(), why)
    if stack.previous is not None:
        stack.target = stack.previous
    try:
        yield from undo(stacks, stack, skipping=skipping)
    except ResourceFailedError as failed:
        reason = (
            f"The following resource(s) failed to update: [{stack.journal[-1].resource.logical_id}]. {failed.reason}"
        )
        stack.become("UPDATE_ROLLBACK_FAILED", stacks.clock.now(), reason)
        return
    for logical_id, declaration in stack.target.declarations.items():
        if logical_id in stack.resources:
            resource = stack.resources[logical_id]
            resource.declaration, resource.dependencies = declaration, stack.target.dependencies(logical_id)
    stack.become("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", stacks.clock.now())
    conclude(stacks, stack, stack.target)
    stack.become("UPDATE_ROLLBACK_COMPLETE", stacks.clock.now())


def delete(stacks: Stacks, stack: Stack, *, retaining: Collection[str] = (), why: str = "User Initiated") -> Operation:
    """Delete a stack's resources, each before those that it needs."""
    stack.become("DELETE_IN_PROGRESS", stacks.clock.now(), why)
    for name, (exporter, _) in stacks.exports().items():
        users = stacks.importers(name)
        if exporter is stack and users:
            reason = f"Export {name} cannot be deleted as it is in use by {', '.join(users)}."
            stack.become("DELETE_FAILED", stacks.clock.now(), reason)
            return
    policies = {
        **dict.fromkeys(replaced_resources(stack), "UpdateReplacePolicy"),
        **dict.fromkeys(stack.resources.values(), "DeletionPolicy"),
    }
    failed = yield from remove_all(stacks, stack, policies, retaining)
    if failed:
        reason = f"The following resource(s) failed to delete: [{', '.join(failed)}]."
        stack.become("DELETE_FAILED", stacks.clock.now(), reason)
        return
    stack.resources.clear()
    stack.journal.clear()
    stack.imports, stack.deleted = set(), stacks.clock.now()
    stack.become("DELETE_COMPLETE", stacks.clock.now())
