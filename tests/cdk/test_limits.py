"""What AWS takes so many of: characters and policies of a role, alarms of a rule, widgets, resources."""

from __future__ import annotations

import json
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from aws_cdk import App, CfnResource, Environment, NestedStack, Stack
from aws_cdk.aws_iam import Role, ServicePrincipal
from cdk.many import with_adapters
from cdk.published import widgets_of
from cdk.synthesis import lint, resources_of, template_of
from hypothesis import given
from hypothesis import strategies as st
from render.specs import SPECS

from warmroute.render.cloudformation import cloudformation_resources
from warmroute_cdk import ConstructError, EndpointAlarms, EndpointDashboard, ExecutionPolicy, VllmEndpoint
from warmroute_cdk.composite import MOST_ALARMS
from warmroute_cdk.permissions import Permission, permissions
from warmroute_cdk.policy_documents import documents

LONGEST = {"AWS::Partition": "aws-us-gov", "AWS::AccountId": "123456789012", "AWS::Region": "ap-southeast-1"}


def stack() -> Stack:
    return Stack(App(), "Test", env=Environment(region="us-east-1"))


def deployed(value: Any) -> Any:
    """A value of a template as CloudFormation makes it, with the longest of what it may put in."""
    match value:
        case {"Ref": name}:
            return LONGEST[name]
        case {"Fn::Join": [separator, parts]}:
            return separator.join(deployed(part) for part in parts)
        case dict():
            return {name: deployed(held) for name, held in value.items()}
        case list():
            return [deployed(item) for item in value]
    return value


def policies_of(template: dict[str, Any]) -> list[dict[str, Any]]:
    made = resources_of(template, "AWS::IAM::ManagedPolicy")
    return [deployed(each["Properties"]["PolicyDocument"]) for each in made]


def characters(document: dict[str, Any]) -> int:
    return len("".join(json.dumps(document, separators=(",", ":")).split()))


def allowed(policy_documents: list[dict[str, Any]]) -> set[tuple[str, str]]:
    found = set()
    for document in policy_documents:
        for each in document["Statement"]:
            actions, arns = (held if isinstance(held, list) else [held] for held in (each["Action"], each["Resource"]))
            found |= {(action, arn) for action in actions for arn in arns}
    return found


class TestPolicies:
    """The execution role of a large spec has several managed policies, each short enough for IAM."""

    def test_a_large_spec_has_several_and_loses_nothing(self):
        where = stack()
        role = Role(where, "Role", assumed_by=ServicePrincipal("sagemaker.amazonaws.com"))
        made = ExecutionPolicy(where, "Policy", spec=with_adapters(150), roles=[role])
        template = template_of(where)
        found = policies_of(template)
        assert len(found) == len(made.policies) == len(made.cfn_managed_policies) == 5
        assert all(characters(each) <= 6_144 for each in found)
        # The first four are full: the last statement of each goes on in the next.
        assert all(characters(each) > 5_500 for each in found[:-1])
        assert {
            ("s3:GetObject", f"arn:aws-us-gov:s3:::adapters/a-customer/{number}.tar.gz") for number in range(150)
        } <= allowed(found)
        groups = [arn for action, arn in allowed(found) if action == "logs:PutLogEvents"]
        assert len(groups) == 152
        (attached,) = resources_of(template, "AWS::IAM::Role")
        assert len(attached["Properties"]["ManagedPolicyArns"]) == 5
        assert lint(template) == []

    def test_the_role_made_here_has_them_all(self):
        endpoint = VllmEndpoint(stack(), "Bot", spec=with_adapters(50))
        template = template_of(endpoint)
        (role,) = resources_of(template, "AWS::IAM::Role")
        assert len(role["Properties"]["ManagedPolicyArns"]) == len(policies_of(template)) == 2

    def test_more_than_a_role_takes_are_refused(self):
        with pytest.raises(ConstructError, match=r"^Test/Policy: the execution role needs \d+ managed policies, and"):
            ExecutionPolicy(stack(), "Policy", spec=with_adapters(400))

    @given(st.lists(st.lists(st.integers(10, 900), min_size=1, max_size=12), min_size=1, max_size=6))
    def test_no_document_is_too_long_and_no_resource_is_lost(self, lengths):
        asked = [
            Permission(
                f"S{number}", ("s3:GetObject",), tuple(f"{position}" * size for position, size in enumerate(sizes))
            )
            for number, sizes in enumerate(lengths)
        ]
        found = documents(asked)
        for each in found:
            statements = [
                {"Action": list(p.actions), "Effect": "Allow", "Resource": list(p.resources), "Sid": p.sid}
                for p in each
            ]
            assert characters({"Statement": statements, "Version": "2012-10-17"}) <= 6_144
        assert [(p.sid, arn) for each in found for p in each for arn in p.resources] == [
            (p.sid, arn) for p in asked for arn in p.resources
        ]

    @pytest.mark.parametrize("name", SPECS)
    def test_no_two_statements_of_a_spec_could_be_one(self, name):
        spec = SPECS[name]
        for one, other in combinations(permissions(spec.name, cloudformation_resources(spec)), 2):
            assert (one.actions, one.conditions) != (other.actions, other.conditions)


@cache
def watched(count: int) -> tuple[EndpointAlarms, dict[str, Any]]:
    """Alarms of many components; not to be changed."""
    alarms = EndpointAlarms(stack(), "Alarms", spec=with_adapters(count), model_errors=None, overhead=None)
    return alarms, template_of(alarms)


class TestCompositeAlarms:
    """A rule holds so many alarms; more are watched through composite alarms of some of them each."""

    @staticmethod
    def rules(template: dict[str, Any]) -> dict[str, str]:
        """Rules of the composite alarms, with the name that each alarm has by its longest."""
        found = {}
        for name, each in template["Resources"].items():
            if each["Type"] == "AWS::CloudWatch::CompositeAlarm":
                parts = each["Properties"]["AlarmRule"]["Fn::Join"][1]
                found[name] = "".join(part if isinstance(part, str) else part["Fn::GetAtt"][0] for part in parts)
        return found

    def test_few_are_one(self):
        rules = self.rules(watched(20)[1])
        assert len(rules) == 1
        assert next(iter(rules.values())).count("ALARM(") == 22  # 20 adapters, the component, and its hot copies.

    def test_many_are_a_composite_of_composites(self):
        alarms, template = watched(70)
        rules = self.rules(template)
        assert alarms.composite_alarm is not None
        top = Stack.of(alarms).get_logical_id(alarms.composite_alarm.node.default_child)
        parts = {name: rule for name, rule in rules.items() if name != top}
        assert len(parts) == 3
        assert all(f'ALARM("{name}")' in rules[top] for name in parts)
        single = [name for name in alarms.alarms if name.startswith(("server-errors", "hot-instance"))]
        assert sum(rule.count("ALARM(") for rule in parts.values()) == len(single) == 72
        arn = len("arn:aws-us-gov:cloudwatch:ap-southeast-1:123456789012:alarm:") + 255
        for rule in rules.values():
            count = rule.count("ALARM(")
            assert count <= MOST_ALARMS <= 100
            assert count * (arn + len('ALARM("")')) + (count - 1) * len(" OR ") + len("()") <= 10_240

    def test_only_the_one_above_acts(self):
        resources = [
            each["Properties"]
            for each in watched(70)[1]["Resources"].values()
            if each["Type"] == "AWS::CloudWatch::CompositeAlarm"
        ]
        assert len([each for each in resources if "AlarmDescription" in each]) == 1


class TestDashboards:
    """A widget shows a hundred alarms, a dashboard five hundred widgets."""

    def test_alarms_are_divided_among_widgets(self):
        where, spec = stack(), with_adapters(40)
        alarms = EndpointAlarms(where, "Alarms", spec=spec)
        EndpointDashboard(where, "Dashboard", spec=spec, alarms=alarms)
        widgets = widgets_of(template_of(where))
        shown = [len(each["properties"]["alarms"]) for each in widgets if each["type"] == "alarm"]
        assert shown == [100, len(alarms.alarms) - 100]

    def test_too_many_widgets_are_refused(self):
        with pytest.raises(
            ConstructError, match=r"^Test/Dashboard: it would have \d+ widgets, and CloudWatch takes 500"
        ):
            EndpointDashboard(stack(), "Dashboard", spec=with_adapters(110))


class TestResources:
    """A stack holds five hundred resources."""

    def filled(self, where: Stack, count: int) -> None:
        for number in range(count):
            CfnResource(where, f"Filler{number}", type="AWS::SNS::Topic")

    def test_the_one_too_many_is_refused_with_what_there_is(self):
        where = stack()
        self.filled(where, 498)
        match = r"^Test/Bot: its stack Test has 501 resources by now \(498 AWS::SNS::Topic, .*takes 500\. Put alarms"
        with pytest.raises(ConstructError, match=match):
            VllmEndpoint(where, "Bot", spec=SPECS["demo"])

    def test_five_hundred_are_not(self):
        where = stack()
        self.filled(where, 497)
        VllmEndpoint(where, "Bot", spec=SPECS["demo"])
        assert len(template_of(where)["Resources"]) == 500

    def test_a_nested_stack_counts_as_one(self):
        where = stack()
        self.filled(where, 300)
        self.filled(NestedStack(where, "Nested"), 300)
        VllmEndpoint(where, "Bot", spec=SPECS["demo"])
