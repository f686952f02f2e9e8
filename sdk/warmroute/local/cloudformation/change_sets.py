"""The calls about change sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation import life
from warmroute.local.cloudformation.changes import foreseen_changes
from warmroute.local.cloudformation.importing import bring_in
from warmroute.local.cloudformation.operations import (
    begin,
    new_stack,
    refuse_name,
    refuse_unless_updatable,
)
from warmroute.local.cloudformation.parameters import HIDDEN, hidden_parameters
from warmroute.local.cloudformation.refusals import NO_CHANGES, invalid, no_change_set
from warmroute.local.cloudformation.requests import target_of
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.stacks import ChangeSet
from warmroute.local.cloudformation.target import Target
from warmroute.local.control.clock import moment
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.operations import Request, Response
    from warmroute.local.cloudformation.stacks import Operation, Stack, Stacks

_EMPTY = Target("", {"Resources": {}})
"""What a stack is that only has a change set."""


def create_change_set(stacks: Stacks, request: Request) -> Response:
    """See what would change, and keep it for its execution."""
    stack, kind = _stack_for(stacks, request)
    name = request["ChangeSetName"]
    if name in stack.change_sets:
        raise RefusedError(f"ChangeSet {name} already exists", "AlreadyExistsException")
    target = target_of(stacks, request, stack if stack.resources or stack.target is not _EMPTY else None)
    changes = foreseen_changes(stacks, stack, target)
    imported = {
        each["LogicalResourceId"]: each["ResourceIdentifier"] for each in request.get("ResourcesToImport") or ()
    }
    if kind == "IMPORT":
        _mark_imports(stack, target, changes, imported)
    arn = stacks.new_arn("changeSet", name)
    made = ChangeSet(name, arn, kind, target, changes, stacks.clock.now(), request.get("Description"))
    made.on_failure, made.imported = request.get("OnStackFailure") or "ROLLBACK", imported
    if kind == "UPDATE" and stack.target.says_the_same_as(target) and not stack.status.endswith("_FAILED"):
        made.status, made.execution_status, made.reason = "FAILED", "UNAVAILABLE", NO_CHANGES
    stacks.add(stack)
    if not stack.events:
        stack.become("REVIEW_IN_PROGRESS", stacks.clock.now(), "User Initiated")
    stack.change_sets[name] = made
    return {"Id": arn, "StackId": stack.arn}


def describe_change_set(stacks: Stacks, request: Request) -> Response:
    """What a change set would do."""
    stack, found = _find(stacks, request)
    target = found.target
    hidden = hidden_parameters(target.template)
    return {
        **_summary(stack, found),
        "Parameters": [
            {"ParameterKey": key, "ParameterValue": HIDDEN if key in hidden else str(value)}
            for key, value in target.given.items()
        ],
        "NotificationARNs": list(target.notification_arns),
        "Capabilities": list(target.capabilities),
        "Tags": [{"Key": key, "Value": value} for key, value in target.tags.items()],
        "Changes": found.changes,
        "OnStackFailure": found.on_failure,
    }


def describe_change_set_hooks(stacks: Stacks, request: Request) -> Response:
    """No hooks."""
    stack, found = _find(stacks, request)
    return {
        "ChangeSetId": found.arn,
        "ChangeSetName": found.name,
        "StackId": stack.arn,
        "StackName": stack.name,
        "Hooks": [],
        "Status": "UNAVAILABLE",
    }


def list_change_sets(stacks: Stacks, request: Request) -> Response:
    """The change sets of a stack."""
    stack = stacks.find(request["StackName"])
    return {"Summaries": [_summary(stack, each) for each in stack.change_sets.values()]}


def delete_change_set(stacks: Stacks, request: Request) -> Response:
    """Forget a change set; one that does not exist is forgotten already."""
    try:
        stack, found = _find(stacks, request)
    except RefusedError:
        return {}
    if found is not stack.executed:
        del stack.change_sets[found.name]
    return {}


def execute_change_set(stacks: Stacks, request: Request) -> Response:
    """Begin to do what a change set says."""
    stack, found = _find(stacks, request)
    if found.execution_status != "AVAILABLE":
        status = f"status of [{found.status}]"
        if found.status != "FAILED":
            status = f"execution status of [{found.execution_status}]"
        raise RefusedError(
            f"ChangeSet [{found.arn}] cannot be executed in its current {status}", "InvalidChangeSetStatus"
        )
    if stack.status == "REVIEW_IN_PROGRESS":
        stacks.refuse_if_busy(stack)
    else:
        refuse_unless_updatable(stacks, stack)
    disabled = bool(request.get("DisableRollback"))
    stack.change_sets.clear()  # Executing one makes the others void.
    stack.executed, stack.disable_rollback = found, disabled
    if found.type == "IMPORT":
        operation = bring_in(stacks, stack, found.target, found.imported)
    elif stack.status == "REVIEW_IN_PROGRESS":
        on_failure = "DO_NOTHING" if disabled else found.on_failure
        operation = life.create(stacks, stack, found.target, on_failure=on_failure)
    else:
        operation = life.update(stacks, stack, found.target)
    begin(stacks, stack, _executed(stack, found, operation))
    return {}


def _executed(stack: Stack, change_set: ChangeSet, operation: Operation) -> Operation:
    change_set.execution_status = "EXECUTE_IN_PROGRESS"
    yield from operation
    succeeded = stack.status in {"CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"}
    change_set.execution_status = "EXECUTE_COMPLETE" if succeeded else "EXECUTE_FAILED"


def _stack_for(stacks: Stacks, request: Request) -> tuple[Stack, str]:
    """The stack that a change set is for, made where it is for a new one; and the change set's type."""
    name = request["StackName"]
    kind = request.get("ChangeSetType") or "UPDATE"
    stack = stacks.look_up(name)
    if stack is not None:
        if kind == "CREATE" and stack.status != "REVIEW_IN_PROGRESS":
            raise RefusedError(f"Stack [{name}] already exists and cannot be created again", "ValidationError")
        if stack.status != "REVIEW_IN_PROGRESS":
            refuse_unless_updatable(stacks, stack)
        elif kind == "UPDATE":
            kind = "CREATE"
        return stack, kind
    if kind == "UPDATE":
        raise invalid(f"Stack [{name}] does not exist")
    refuse_name(name)
    return new_stack(stacks, name, _EMPTY), kind  # It exists once its change set does.


def _find(stacks: Stacks, request: Request) -> tuple[Stack, ChangeSet]:
    """A change set by its name and stack, or by its ARN alone, by which the last executed one of a stack is found too.

    Source: waiters on the ARN of an executed change set see its ``ExecutionStatus`` become ``EXECUTE_COMPLETE``.
    """
    name = request["ChangeSetName"]
    stack_name = request.get("StackName")
    candidates = stacks.live() if stack_name is None else [stacks.find(stack_name)]
    for stack in candidates:
        for found in stack.change_sets.values():
            if found.arn == name or (stack_name is not None and found.name == name):
                return stack, found
        if stack.executed is not None and stack.executed.arn == name:
            return stack, stack.executed
    raise no_change_set(name)


def _mark_imports(
    stack: Stack, target: Target, changes: list[dict[str, Any]], imported: Mapping[str, Mapping[str, str]]
) -> None:
    """Show imports as such.

    Raises:
        RefusedError: The template changes more than it imports, or what to import is not told.
    """
    for change in (each["ResourceChange"] for each in changes):
        logical_id = change["LogicalResourceId"]
        if change["Action"] != "Add":
            raise invalid(
                "As part of the import operation, you cannot modify or add resources that are not imported: "
                f"[{logical_id}]"
            )
        if logical_id not in imported:
            raise invalid(f"Resources [{logical_id}] is missing from ResourceToImport list")
        if "DeletionPolicy" not in target.declarations[logical_id]:
            raise invalid(
                f"Resources [{logical_id}] must have DeletionPolicy attribute specified in the template to be imported"
            )
        _refuse_identifier(change["ResourceType"], logical_id, imported[logical_id])
        change["Action"] = "Import"
        change["PhysicalResourceId"] = next(iter(imported[logical_id].values()))
    unknown = sorted(name for name in imported if name in stack.resources or name not in target.declarations)
    if unknown:
        raise invalid(f"Resources [{', '.join(unknown)}] passed in ResourceToImport are not to be imported")


def _refuse_identifier(kind: str, logical_id: str, told: Mapping[str, str]) -> None:
    schema = schema_of(kind)
    if schema is not None and schema.identifier and set(told) != set(schema.identifier):
        raise invalid(
            f"Resource {logical_id} is identified by [{', '.join(schema.identifier)}], not by {sorted(told)}."
        )


def _summary(stack: Stack, change_set: ChangeSet) -> dict[str, Any]:
    return {
        "ChangeSetName": change_set.name,
        "ChangeSetId": change_set.arn,
        "StackId": stack.arn,
        "StackName": stack.name,
        "Description": change_set.description,
        "CreationTime": moment(change_set.created),
        "ExecutionStatus": change_set.execution_status,
        "Status": change_set.status,
        "StatusReason": change_set.reason,
    }
