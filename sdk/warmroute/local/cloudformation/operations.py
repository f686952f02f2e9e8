"""The calls that change stacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation import life
from warmroute.local.cloudformation.refusals import invalid
from warmroute.local.cloudformation.requests import target_of
from warmroute.local.cloudformation.stacks import Stack
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.stacks import Operation, Stacks
    from warmroute.local.cloudformation.target import Target

    Request = Mapping[str, Any]
    Response = dict[str, Any]

UPDATABLE = {
    "CREATE_COMPLETE",
    "UPDATE_COMPLETE",
    "UPDATE_ROLLBACK_COMPLETE",
    "IMPORT_COMPLETE",
    "IMPORT_ROLLBACK_COMPLETE",
    "CREATE_FAILED",
    "UPDATE_FAILED",
}
"""States from which a stack can be updated; the failed ones are those that nothing was rolled back from."""


def create_stack(stacks: Stacks, request: Request) -> Response:
    """Begin a stack."""
    name = request["StackName"]
    refuse_name(name)
    found = stacks.look_up(name)
    if found is not None:
        raise RefusedError(f"Stack [{name}] already exists", "AlreadyExistsException")
    target = target_of(stacks, request)
    stack = new_stack(stacks, name, target)
    stack.is_protected = bool(request.get("EnableTerminationProtection"))
    stack.policy = request.get("StackPolicyBody")
    if request.get("DisableRollback") and request.get("OnFailure"):
        raise invalid("You can specify either DisableRollback or OnFailure, but not both.")
    on_failure = "DO_NOTHING" if request.get("DisableRollback") else request.get("OnFailure") or "ROLLBACK"
    stack.disable_rollback = on_failure == "DO_NOTHING"
    stacks.add(stack)
    begin(stacks, stack, life.create(stacks, stack, target, on_failure=on_failure))
    return {"StackId": stack.arn}


def update_stack(stacks: Stacks, request: Request) -> Response:
    """Begin to make a stack what another template says."""
    stack = stacks.look_up(request["StackName"])
    if stack is None:
        raise invalid(f"Stack [{request['StackName']}] does not exist")
    refuse_unless_updatable(stacks, stack)
    target = target_of(stacks, request, stack)
    if stack.target.says_the_same_as(target) and not stack.status.endswith("_FAILED"):
        raise invalid("No updates are to be performed.")
    stack.disable_rollback = bool(request.get("DisableRollback"))
    for change_set in stack.change_sets.values():
        change_set.execution_status = "OBSOLETE"
    begin(stacks, stack, life.update(stacks, stack, target))
    return {"StackId": stack.arn}


def delete_stack(stacks: Stacks, request: Request) -> Response:
    """Begin to delete a stack; one that does not exist is deleted already."""
    stack = stacks.look_up(request["StackName"])
    if stack is None or stack.status == "DELETE_COMPLETE":
        return {}
    if stack.is_protected:
        raise invalid(f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
    if stack.status == "DELETE_IN_PROGRESS":
        return {}
    if stack.in_progress and not stack.status.startswith("CREATE"):
        raise invalid(f"Stack [{stack.arn}] cannot be deleted while in status {stack.status}")
    retained = request.get("RetainResources") or ()
    if retained and stack.status != "DELETE_FAILED":
        raise invalid("RetainResources can only be specified for stacks in the DELETE_FAILED state.")
    begin(stacks, stack, life.delete(stacks, stack, retaining=retained))
    return {}


def cancel_update_stack(stacks: Stacks, request: Request) -> Response:
    """Let an update under way fail, and roll back."""
    stack = stacks.find(request["StackName"])
    if stack.status != "UPDATE_IN_PROGRESS":
        raise invalid(f"CancelUpdateStack cannot be called from current stack status: {stack.status}")
    stack.is_cancelled = True
    stacks.advance(stack)
    return {}


def continue_update_rollback(stacks: Stacks, request: Request) -> Response:
    """Go on with a rollback that failed."""
    stack = stacks.find(request["StackName"])
    if stack.status != "UPDATE_ROLLBACK_FAILED":
        raise invalid(f"Stack:{stack.arn} is in {stack.status} state and can not continue a rollback.")
    skipped = request.get("ResourcesToSkip") or ()
    begin(stacks, stack, life.roll_back_update(stacks, stack, skipping=skipped))
    return {}


def rollback_stack(stacks: Stacks, request: Request) -> Response:
    """Roll back what a failed creation or update, without a rollback of its own, has left."""
    stack = stacks.find(request["StackName"])
    if stack.status == "UPDATE_FAILED":
        begin(stacks, stack, life.roll_back_update(stacks, stack, why="User Initiated"))
    elif stack.status == "CREATE_FAILED":
        begin(stacks, stack, life.roll_back_creation(stacks, stack, why="User Initiated"))
    else:
        raise invalid(f"RollbackStack cannot be called from current stack status: {stack.status}")
    return {"StackId": stack.arn}


def update_termination_protection(stacks: Stacks, request: Request) -> Response:
    """Protect a stack from its deletion, or no longer."""
    stack = stacks.find(request["StackName"])
    stack.is_protected = request["EnableTerminationProtection"]
    return {"StackId": stack.arn}


def set_stack_policy(stacks: Stacks, request: Request) -> Response:
    """Record a stack's policy; nothing here asks it for permission."""
    stacks.find(request["StackName"]).policy = request.get("StackPolicyBody")
    return {}


def get_stack_policy(stacks: Stacks, request: Request) -> Response:
    """A stack's policy, as it was recorded."""
    return {"StackPolicyBody": stacks.find(request["StackName"]).policy}


def new_stack(stacks: Stacks, name: str, target: Target) -> Stack:
    """A stack that nothing has happened to yet; the account does not have it before it is added."""
    return Stack(name, stacks.new_arn("stack", name), stacks.clock.now(), target)


def begin(stacks: Stacks, stack: Stack, operation: Operation) -> None:
    """Begin something, in place of what was under way, and go on with it until it must wait."""
    stack.operation = operation
    stacks.advance(stack)


def refuse_unless_updatable(stacks: Stacks, stack: Stack) -> None:
    """Refuse to update what is under way, or what only its deletion helps.

    Raises:
        RefusedError: It cannot be updated.
    """
    stacks.refuse_if_busy(stack)
    if stack.status not in UPDATABLE:
        raise invalid(f"Stack:{stack.arn} is in {stack.status} state and can not be updated.")


def refuse_name(name: str) -> None:
    """Refuse a name that no stack can have.

    Raises:
        RefusedError: It is one.
    """
    if not re.fullmatch(r"[a-zA-Z][-a-zA-Z0-9]{0,127}", name):
        raise invalid(
            f"1 validation error detected: Value '{name}' at 'stackName' failed to satisfy constraint: Member must "
            "satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"
        )
