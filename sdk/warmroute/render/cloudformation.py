"""A spec as a CloudFormation template."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

from warmroute.render.cloudformation_gaps import refuse_gaps
from warmroute.render.resource import NAME_PROPERTY, Joined, Kind, Ref, UnsetRole, resolve
from warmroute.render.resources import resources

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec
    from warmroute.render.resource import Reference, Resource

ROLE_PARAMETER = "ExecutionRoleArn"
"""Parameter of the template that gives the role, where the spec has none."""

NAME_OUTPUT = "Name of the endpoint, for InvokeEndpoint."
ARN_OUTPUT = "ARN of the endpoint, for policies."
"""Descriptions of a stack's two outputs."""

TYPES = {
    Kind.MODEL: "AWS::SageMaker::Model",
    Kind.ENDPOINT_CONFIG: "AWS::SageMaker::EndpointConfig",
    Kind.ENDPOINT: "AWS::SageMaker::Endpoint",
    Kind.INFERENCE_COMPONENT: "AWS::SageMaker::InferenceComponent",
    Kind.SCALABLE_TARGET: "AWS::ApplicationAutoScaling::ScalableTarget",
    Kind.SCALING_POLICY: "AWS::ApplicationAutoScaling::ScalingPolicy",
}
"""CloudFormation's type of each kind of resource."""


def to_cloudformation(spec: EndpointSpec, *, region: str | None = None) -> dict[str, Any]:
    """A template of an endpoint and everything that belongs to it; the same spec always gives the same template.

    CloudFormation names models and the endpoint configuration itself: it replaces what it has named, and fails to
    replace what has a name of its own.

    Args:
        spec: The spec.
        region: Region of the endpoint, instead of the spec's own.

    Raises:
        UnsupportedByTargetError: CloudFormation has no property for a setting.
        IncompleteSpecError: The region of an image is not known.
        InvalidSettingsError: AWS has no such image in the region.
    """
    rendered = cloudformation_resources(spec, region=region)
    lacks_role = any(isinstance(each.properties.get("ExecutionRoleArn"), UnsetRole) for each in rendered)
    endpoint = logical_id(Ref(Kind.ENDPOINT))
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": description_of(spec),
        **({"Parameters": {ROLE_PARAMETER: dict(_ROLE)}} if lacks_role else {}),
        "Resources": {logical_id(each.ref): _entry(each) for each in rendered},
        "Outputs": {
            "EndpointName": {
                "Description": NAME_OUTPUT,
                "Value": {"Fn::GetAtt": [endpoint, "EndpointName"]},
            },
            "EndpointArn": {"Description": ARN_OUTPUT, "Value": {"Ref": endpoint}},
        },
    }


def description_of(spec: EndpointSpec) -> str:
    """What the stack of a spec is said to be.

    Args:
        spec: The spec.
    """
    return f"The SageMaker endpoint {spec.name} and everything that belongs to it."


def cloudformation_resources(spec: EndpointSpec, *, region: str | None = None) -> tuple[Resource, ...]:
    """The resources of a template, each after those that it refers to; the constructs of the CDK make the same.

    Args:
        spec: The spec.
        region: Region of the endpoint, instead of the spec's own.

    Raises:
        UnsupportedByTargetError: CloudFormation has no property for a setting.
        IncompleteSpecError: The region of an image is not known.
        InvalidSettingsError: AWS has no such image in the region.
    """
    rendered = resources(spec, region=region)
    refuse_gaps(rendered)
    return rendered


_ROLE = {
    "Type": "String",
    "Description": "Role that SageMaker and the containers run with.",
    "AllowedPattern": r"^arn:aws[a-z\-]*:iam::\d{12}:role/.+$",
}


def logical_id(ref: Ref) -> str:
    """What a resource is called in the template: its kind, and for one of several also its label and a digest of it.

    Labels that differ in hyphens or case alone still give two ids, also where a target ignores case.

    Args:
        ref: The resource.
    """
    if not ref.label:
        return str(ref.kind)
    words = "".join(word[:1].upper() + word[1:] for word in ref.label.split("-"))
    digest = hashlib.sha256(ref.label.encode()).digest()
    return f"{ref.kind}{words}{''.join(chr(ord('A') + byte % 26) for byte in digest[:6])}"


def _entry(resource: Resource) -> dict[str, Any]:
    awaited = {logical_id(ref) for ref in resource.after}
    properties = resolve(resource.all_properties, partial(_expression, awaited))
    order = {"DependsOn": sorted(awaited)} if awaited else {}
    return {"Type": TYPES[resource.kind], **order, "Properties": properties}


def _expression(awaited: set[str], reference: Reference) -> Any:
    match reference:
        case Ref(Kind.INFERENCE_COMPONENT, name):
            # A component gives its name to no Fn::GetAtt, so its order needs saying.
            awaited.add(logical_id(reference))
            return name
        case Ref():
            return {"Fn::GetAtt": [logical_id(reference), NAME_PROPERTY[reference.kind]]}
        case Joined(parts):
            return _joined([_expression(awaited, part) if isinstance(part, Ref) else part for part in parts])
    return {"Ref": ROLE_PARAMETER}


def _joined(parts: list[Any]) -> Any:
    text = "".join(part if isinstance(part, str) else f"${{{'.'.join(part['Fn::GetAtt'])}}}" for part in parts)
    return text if all(isinstance(part, str) for part in parts) else {"Fn::Sub": text}
