"""The calls that only look at stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.parameters import HIDDEN, hidden_parameters
from warmroute.local.cloudformation.refusals import invalid
from warmroute.local.cloudformation.requests import template_text
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.templates import parse_template
from warmroute.local.cloudformation.validity import refuse_impossible
from warmroute.local.control.clock import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warmroute.local.cloudformation.operations import Request, Response
    from warmroute.local.cloudformation.stacks import Event, Stack, StackResource, Stacks

_PAGE = 100
"""Entries in a page of any list."""


def describe_stacks(stacks: Stacks, request: Request) -> Response:
    """One stack, or all that have not been deleted."""
    found = [stacks.find(request["StackName"])] if request.get("StackName") else stacks.live()
    return _page(found, request, "Stacks", _described)


def list_stacks(stacks: Stacks, request: Request) -> Response:
    """Every stack, deleted ones too, of the states that are asked for."""
    wanted = request.get("StackStatusFilter")
    found = [stack for stack in stacks.stacks.values() if not wanted or stack.status in wanted]
    return _page(found[::-1], request, "StackSummaries", _summary)


def describe_stack_events(stacks: Stacks, request: Request) -> Response:
    """What happened to a stack, last first."""
    stack = stacks.find(request["StackName"])
    return _page(stack.events[::-1], request, "StackEvents", lambda event: _event(stack, event))


def describe_stack_resource(stacks: Stacks, request: Request) -> Response:
    """One resource of a stack."""
    stack = stacks.find(request["StackName"])
    resource = stack.resource(request["LogicalResourceId"])
    described = {**_resource_summary(resource), "StackId": stack.arn, "StackName": stack.name, "Metadata": None}
    return {"StackResourceDetail": described}


def describe_stack_resources(stacks: Stacks, request: Request) -> Response:
    """The resources of a stack, or one of them, or all of the stack that has a physical one."""
    if request.get("StackName"):
        stack = stacks.find(request["StackName"])
    else:
        wanted = request.get("PhysicalResourceId")
        owners = [each for each in stacks.live() for r in each.resources.values() if r.physical_id == wanted]
        if not owners:
            raise invalid(f"Stack for {wanted} does not exist")
        stack = owners[0]
    logical_id = request.get("LogicalResourceId")
    found = [stack.resource(logical_id)] if logical_id else stack.resources.values()
    named = {"StackId": stack.arn, "StackName": stack.name}
    described = [{**_resource_summary(each), "Timestamp": moment(each.updated), **named} for each in found]
    return {"StackResources": described}


def list_stack_resources(stacks: Stacks, request: Request) -> Response:
    """The resources of a stack, in short."""
    stack = stacks.find(request["StackName"])
    return _page(list(stack.resources.values()), request, "StackResourceSummaries", _resource_summary)


def get_template(stacks: Stacks, request: Request) -> Response:
    """The template of a stack or of a change set, as it was given."""
    stack = stacks.find(request["StackName"])
    name = request.get("ChangeSetName")
    target = next((each.target for each in stack.change_sets.values() if name in {each.name, each.arn}), stack.target)
    return {"TemplateBody": target.text, "StagesAvailable": ["Original", "Processed"]}


def get_template_summary(stacks: Stacks, request: Request) -> Response:
    """What a template declares, and how its resources are told apart when they are imported."""
    stack = stacks.find(request["StackName"]) if request.get("StackName") else None
    if stack is not None and stack.status == "REVIEW_IN_PROGRESS":
        raise invalid("GetTemplateSummary cannot be called on REVIEW_IN_PROGRESS stacks.")
    text = stack.target.text if stack is not None else template_text(stacks.api, request)
    template = parse_template(text)
    refuse_impossible(template)
    types: dict[str, list[str]] = {}
    for logical_id, declaration in template["Resources"].items():
        types.setdefault(declaration["Type"], []).append(logical_id)
    schemas = {name: schema_of(name) for name in types}
    return {
        "Parameters": _declared_parameters(template),
        "Description": template.get("Description"),
        "Metadata": None,
        "Version": template.get("AWSTemplateFormatVersion"),
        "ResourceTypes": [declaration["Type"] for declaration in template["Resources"].values()],
        "ResourceIdentifierSummaries": [
            {"ResourceType": name, "LogicalResourceIds": ids, "ResourceIdentifiers": schema.identifier}
            for name, ids in types.items()
            if (schema := schemas[name]) is not None
        ],
    }


def validate_template(stacks: Stacks, request: Request) -> Response:
    """Whether a template can be one."""
    template = parse_template(template_text(stacks.api, request))
    refuse_impossible(template)
    return {"Parameters": _declared_parameters(template), "Description": template.get("Description")}


def list_exports(stacks: Stacks, request: Request) -> Response:
    """What stacks export."""
    exports = [
        {"ExportingStackId": stack.arn, "Name": name, "Value": value}
        for name, (stack, value) in stacks.exports().items()
    ]
    return _page(exports, request, "Exports", lambda export: export)


def list_imports(stacks: Stacks, request: Request) -> Response:
    """Who uses an export."""
    users = stacks.importers(request["ExportName"])
    if not users:
        raise invalid(f"Export '{request['ExportName']}' is not imported by any stack.")
    return _page(users, request, "Imports", lambda user: user)


def _page(found: Sequence[Any], request: Request, into: str, summary: Callable[[Any], Any]) -> Response:
    token = request.get("NextToken") or "0"
    if not token.isdecimal():
        raise invalid(f"Invalid NextToken: '{token}'.")
    start = int(token)
    page: Response = {into: [summary(each) for each in found[start : start + _PAGE]]}
    if start + _PAGE < len(found):
        page["NextToken"] = str(start + _PAGE)
    return page


def _described(stack: Stack) -> dict[str, Any]:
    target = stack.target
    hidden = hidden_parameters(target.template)
    return {
        **_summary(stack),
        "Description": target.template.get("Description"),
        "Parameters": [_parameter(target.given, name, value, hidden) for name, value in target.values.items()],
        "Tags": [{"Key": key, "Value": value} for key, value in target.tags.items()],
        "Outputs": stack.outputs,
        "RoleARN": target.role_arn,
        "NotificationARNs": list(target.notification_arns),
        "Capabilities": list(target.capabilities),
        "TimeoutInMinutes": target.timeout_minutes,
        "DisableRollback": stack.disable_rollback,
        "EnableTerminationProtection": stack.is_protected,
        "ChangeSetId": stack.executed.arn if stack.executed is not None else None,
    }


def _parameter(given: Any, name: str, value: Any, hidden: set[str]) -> dict[str, str]:
    shown = ",".join(value) if isinstance(value, list) else str(value)
    passed = given.get(name)
    described = {"ParameterKey": name, "ParameterValue": HIDDEN if name in hidden else passed or shown}
    if passed is not None and passed != shown and name not in hidden:
        described["ResolvedValue"] = shown
    return described


def _summary(stack: Stack) -> dict[str, Any]:
    drift = {"StackDriftStatus": stack.drift_status}
    if stack.drift_checked is not None:
        drift["LastCheckTimestamp"] = moment(stack.drift_checked)  # type: ignore[assignment]
    return {
        "StackId": stack.arn,
        "StackName": stack.name,
        "TemplateDescription": stack.target.template.get("Description"),
        "CreationTime": moment(stack.created),
        "LastUpdatedTime": moment(stack.updated) if stack.updated is not None else None,
        "DeletionTime": moment(stack.deleted) if stack.deleted is not None else None,
        "StackStatus": stack.status,
        "StackStatusReason": stack.reason or None,
        "DriftInformation": drift,
    }


def _resource_summary(resource: StackResource) -> dict[str, Any]:
    return {
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.physical_id or None,
        "ResourceType": resource.type,
        "LastUpdatedTimestamp": moment(resource.updated),
        "ResourceStatus": resource.status,
        "ResourceStatusReason": resource.reason or None,
        "DriftInformation": {"StackResourceDriftStatus": resource.drift_status},
    }


def _event(stack: Stack, event: Event) -> dict[str, Any]:
    return {
        "StackId": stack.arn,
        "EventId": event.number,
        "StackName": stack.name,
        "LogicalResourceId": event.logical_id,
        "PhysicalResourceId": event.physical_id or None,
        "ResourceType": event.type,
        "Timestamp": moment(event.when),
        "ResourceStatus": event.status,
        "ResourceStatusReason": event.reason or None,
    }


def _declared_parameters(template: Any) -> list[dict[str, Any]]:
    hidden = hidden_parameters(template)
    return [
        {
            "ParameterKey": name,
            "DefaultValue": None if each.get("Default") is None else str(each["Default"]),
            "ParameterType": each["Type"],
            "NoEcho": name in hidden,
            "Description": each.get("Description"),
            "ParameterConstraints": {"AllowedValues": [str(value) for value in each.get("AllowedValues", ())]},
        }
        for name, each in (template.get("Parameters") or {}).items()
    ]
