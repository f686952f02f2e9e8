"""Templates of specs, each synthesised once, and the same template in the words of the CloudFormation rendering."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import cfnlint.api
from aws_cdk import App, Environment, Stack
from aws_cdk.assertions import Template
from render.specs import SPECS

from warmroute.hosting import EndpointSpec
from warmroute.render.cloudformation import logical_id
from warmroute_cdk import VllmEndpoint


def endpoint_of(spec: EndpointSpec, **given: Any) -> VllmEndpoint:
    """An endpoint alone in a stack of the spec's region."""
    stack = Stack(App(), "Test", env=Environment(region=spec.region))
    return VllmEndpoint(stack, "Bot", spec=spec, **given)


def template_of(construct: Any) -> dict[str, Any]:
    """The template of the stack that a construct is in."""
    return Template.from_stack(Stack.of(construct)).to_json()


@cache
def known(name: str) -> tuple[VllmEndpoint, dict[str, Any]]:
    """The endpoint of a spec of the corpus, and its template; not to be changed."""
    endpoint = endpoint_of(SPECS[name])
    return endpoint, template_of(endpoint)


def resources_of(template: dict[str, Any], type_: str) -> list[dict[str, Any]]:
    """The resources of a type."""
    return [each for each in template["Resources"].values() if each["Type"] == type_]


def lint(template: dict[str, Any], region: str = "us-east-1") -> list[str]:
    """What cfn-lint says, but for one rule: what the CDK lets wait for a role names the role beside its policies."""
    found = cfnlint.api.lint(json.dumps(template), regions=[region])
    return [str(match) for match in found if match.rule.id != "W3005"]


def as_rendered(endpoint: VllmEndpoint, template: dict[str, Any]) -> dict[str, Any]:
    """The resources of an endpoint under the logical ids, and in the expressions, of the CloudFormation rendering."""
    stack = Stack.of(endpoint)
    parts = (endpoint.models, endpoint.configuration, endpoint.endpoint, endpoint.components, endpoint.auto_scaling)
    names = {stack.resolve(made.logical_id): logical_id(ref) for part in parts for ref, made in part.made.items()}

    def renamed(value: Any) -> Any:
        match value:
            case {"Fn::GetAtt": [name, attribute]} if name in names:
                return {"Fn::GetAtt": [names[name], attribute]}
            case {"Fn::Join": ["", pieces]}:
                return {"Fn::Sub": "".join(_piece(renamed(piece)) for piece in pieces)}
            case dict():
                return {key: renamed(held) for key, held in value.items()}
            case list():
                return [renamed(item) for item in value]
        return value

    found: dict[str, Any] = {}
    for name, resource in template["Resources"].items():
        if name not in names:
            continue
        awaited = sorted(names[each] for each in resource.get("DependsOn", []) if each in names)
        properties = renamed(resource["Properties"])
        found[names[name]] = {
            "Type": resource["Type"],
            **({"DependsOn": awaited} if awaited else {}),
            "Properties": in_order(properties),
        }
    return found


def in_order(properties: dict[str, Any]) -> dict[str, Any]:
    """Properties with their tags by key, as the CDK writes them."""
    if "Tags" not in properties:
        return properties
    return {**properties, "Tags": sorted(properties["Tags"], key=lambda tag: tag["Key"])}


def _piece(value: Any) -> str:
    return value if isinstance(value, str) else f"${{{'.'.join(value['Fn::GetAtt'])}}}"
