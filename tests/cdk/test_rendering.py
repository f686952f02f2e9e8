"""The constructs make the resources of the CloudFormation rendering, for any spec."""

from __future__ import annotations

from typing import Any

import pytest
from cdk.synthesis import as_rendered, endpoint_of, in_order, known, lint, template_of
from hypothesis import given, settings
from render.specs import SPECS, WITHOUT_ROLE, specs

from warmroute.hosting import EndpointSpec
from warmroute.render import to_cloudformation


def rendered(spec: EndpointSpec) -> dict[str, Any]:
    entries = to_cloudformation(spec)["Resources"]
    return {name: {**entry, "Properties": in_order(entry["Properties"])} for name, entry in entries.items()}


@pytest.mark.parametrize("name", SPECS)
def test_resources_are_those_of_the_cloudformation_rendering(name):
    assert as_rendered(*known(name)) == rendered(SPECS[name])


def test_a_role_made_here_takes_the_place_of_the_parameter():
    endpoint = endpoint_of(WITHOUT_ROLE)
    template = template_of(endpoint)
    (role,) = (name for name, each in template["Resources"].items() if each["Type"] == "AWS::IAM::Role")
    assert endpoint.execution_role is not None
    found = as_rendered(endpoint, template)
    expected = rendered(WITHOUT_ROLE)
    assert expected["Model"]["Properties"].pop("ExecutionRoleArn") == {"Ref": "ExecutionRoleArn"}
    assert found["Model"]["Properties"].pop("ExecutionRoleArn") == {"Fn::GetAtt": [role, "Arn"]}
    assert found == expected


@given(specs())
@settings(max_examples=25)
def test_resources_are_those_of_the_cloudformation_rendering_of_any_spec(spec):
    endpoint = endpoint_of(spec)
    assert as_rendered(endpoint, template_of(endpoint)) == rendered(spec)


@pytest.mark.parametrize("name", SPECS)
def test_cfn_lint_finds_nothing(name):
    _, template = known(name)
    assert lint(template, SPECS[name].region or "") == []
