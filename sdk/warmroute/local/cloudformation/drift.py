"""The calls about drift: what the account has, against what the template says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.refusals import invalid
from warmroute.local.cloudformation.resources import resolve_secrets
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.types import type_of
from warmroute.local.control.chance import CHANCE
from warmroute.local.control.clock import moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.operations import Request, Response
    from warmroute.local.cloudformation.stacks import Stack, StackResource, Stacks


def detect_stack_drift(stacks: Stacks, request: Request) -> Response:
    """Compare every resource of a stack, at once."""
    stack = stacks.find(request["StackName"])
    stacks.refuse_if_busy(stack, doing="checked for drift")
    for logical_id in request.get("LogicalResourceIds") or list(stack.resources):
        _check(stacks, stack, logical_id)
    drifted = [each for each in stack.resources.values() if each.drift_status in {"MODIFIED", "DELETED"}]
    stack.drift_status = "DRIFTED" if drifted else "IN_SYNC"
    stack.drift_checked = stacks.clock.now()
    number = str(CHANCE.uuid4())
    stacks.drift_detections[number] = {
        "StackId": stack.arn,
        "StackDriftDetectionId": number,
        "StackDriftStatus": stack.drift_status,
        "DetectionStatus": "DETECTION_COMPLETE",
        "DriftedStackResourceCount": len(drifted),
        "Timestamp": moment(stack.drift_checked),
    }
    return {"StackDriftDetectionId": number}


def describe_stack_drift_detection_status(stacks: Stacks, request: Request) -> Response:
    """What a detection came to."""
    number = request["StackDriftDetectionId"]
    if number not in stacks.drift_detections:
        raise invalid(f"Drift detection [{number}] does not exist")
    return stacks.drift_detections[number]


def detect_stack_resource_drift(stacks: Stacks, request: Request) -> Response:
    """Compare one resource."""
    stack = stacks.find(request["StackName"])
    return {"StackResourceDrift": _check(stacks, stack, request["LogicalResourceId"])}


def describe_stack_resource_drifts(stacks: Stacks, request: Request) -> Response:
    """How every resource that was checked differs."""
    stack = stacks.find(request["StackName"])
    wanted = request.get("StackResourceDriftStatusFilters")
    drifts = [each.drift for each in stack.resources.values() if each.drift_status != "NOT_CHECKED"]
    return {
        "StackResourceDrifts": [each for each in drifts if not wanted or each["StackResourceDriftStatus"] in wanted]
    }


def _check(stacks: Stacks, stack: Stack, logical_id: str) -> Mapping[str, Any]:
    resource = stack.resource(logical_id)
    expected: dict[str, Any] = resolve_secrets(stacks.api, dict(resource.properties))
    actual = type_of(resource.type).read(stacks.api, resource)
    differences: list[dict[str, str]] = []
    shown: dict[str, Any] = {}
    if not type_of(resource.type).can_drift:
        status = "NOT_CHECKED"
    elif actual is None:
        status = "DELETED"
    else:
        for name in _comparable(resource, expected, actual):
            shown[name] = _like(expected[name], actual.get(name))
            differences += _differences(f"/{name}", expected[name], shown[name])
        status = "MODIFIED" if differences else "IN_SYNC"
    resource.drift = {
        "StackId": stack.arn,
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": resource.physical_id,
        "ResourceType": resource.type,
        "ExpectedProperties": _json(expected),
        "ActualProperties": _json(shown),
        "PropertyDifferences": differences,
        "StackResourceDriftStatus": status,
        "Timestamp": moment(stacks.clock.now()),
    }
    return resource.drift


def _comparable(resource: StackResource, expected: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """Properties that the service tells: not those that only a creation or an update reads, and seldom tags."""
    schema = schema_of(resource.type)
    untold = set() if schema is None else set(schema.write_only)
    if schema is not None and schema.tag_property not in actual:
        untold.add(str(schema.tag_property))
    return [name for name in expected if name not in untold]


def _like(expected: Any, actual: Any) -> Any:
    """What is there, of what the template says; services add their own defaults."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {key: _like(value, actual.get(key)) for key, value in expected.items()}
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [_like(one, other) for one, other in zip(expected, actual, strict=True)]
    return actual


def _differences(path: str, expected: Any, actual: Any) -> list[dict[str, str]]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [found for key in expected for found in _differences(f"{path}/{key}", expected[key], actual.get(key))]
    if _same(expected, actual):
        return []
    kind = "REMOVE" if actual is None else "NOT_EQUAL"
    return [
        {
            "PropertyPath": path,
            "ExpectedValue": _json(expected),
            "ActualValue": _json(actual),
            "DifferenceType": kind,
        }
    ]


def _same(expected: Any, actual: Any) -> bool:
    if isinstance(expected, str) and isinstance(actual, str):
        return expected == actual or _parsed(expected) == _parsed(actual) is not None
    if isinstance(expected, (dict, list)) or isinstance(actual, (dict, list)):
        return bool(expected == actual)
    return _word(expected) == _word(actual)  # Templates say numbers where services have words, and the other way round.


def _word(value: Any) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:g}" if number else str(value).lower() if isinstance(value, bool) else str(value)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
