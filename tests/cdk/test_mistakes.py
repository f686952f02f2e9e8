"""Mistakes in the use of the constructs end in one line of ours, without a traceback of Node's."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, CfnParameter, Duration, Environment, Fn, Stack
from aws_cdk.aws_cloudwatch import Alarm
from aws_cdk.aws_cloudwatch_actions import SnsAction
from aws_cdk.aws_ec2 import SubnetSelection, SubnetType, Vpc
from aws_cdk.aws_iam import Role
from aws_cdk.aws_sns import Topic
from render.specs import SPECS, WITHOUT_ROLE

from warmroute_cdk import (
    ConstructError,
    EndpointAlarms,
    EndpointConfiguration,
    EndpointDashboard,
    EndpointStack,
    ExecutionPolicy,
    ExecutionRole,
    LatencyAlarm,
    MetricAlarm,
    Models,
    QueryAlarm,
    RoutingExperiment,
    VariantMetrics,
    VllmEndpoint,
)
from warmroute_cdk.app import main

SPEC = SPECS["demo"]
TOPIC = "arn:aws:sns:eu-west-1:123456789012:alarms"


@pytest.fixture
def stack() -> Stack:
    return Stack(App(), "Test", env=Environment(region="us-east-1"))


def number(stack: Stack) -> float:
    return CfnParameter(stack, "Number", type="Number").value_as_number


CONSTRUCTS = {
    "VllmEndpoint": VllmEndpoint,
    "EndpointAlarms": EndpointAlarms,
    "EndpointDashboard": EndpointDashboard,
    "RoutingExperiment": RoutingExperiment,
    "Models": Models,
    "ExecutionPolicy": ExecutionPolicy,
    "ExecutionRole": ExecutionRole,
}


@pytest.mark.parametrize("construct", CONSTRUCTS.values(), ids=CONSTRUCTS)
class TestPlace:
    """Where a construct belongs, and what it is called there."""

    def test_an_id_is_given_once(self, stack, construct):
        construct(stack, "Thing", spec=SPEC)
        with pytest.raises(ConstructError, match=r"^Test/Thing: there is a construct with this id already\. Give one"):
            construct(stack, "Thing", spec=SPEC)

    @pytest.mark.parametrize("id_", ["", 3, Fn.ref("AWS::StackName")], ids=["empty", "number", "token"])
    def test_an_id_is_text_that_is_known(self, stack, construct, id_):
        with pytest.raises(ConstructError, match=r"^Test/.*: an id is text that is not empty and known at synthesis"):
            construct(stack, id_, spec=SPEC)

    def test_a_scope_is_a_construct_in_a_stack(self, construct):
        with pytest.raises(ConstructError, match=r"^Thing.*: .* should be created in the scope of a Stack"):
            construct(App(), "Thing", spec=SPEC)
        with pytest.raises(ConstructError, match=r"^Thing: its scope is a NoneType, not a construct"):
            construct(None, "Thing", spec=SPEC)

    def test_a_spec_is_a_spec_or_a_file(self, stack, construct):
        with pytest.raises(ConstructError, match=r"^Test/Thing: its spec is dict\. Give an EndpointSpec"):
            construct(stack, "Thing", spec={"name": "bot"})


class TestStack:
    """The names and options of a stack."""

    @pytest.mark.parametrize(("id_", "options"), [("my_bot", {}), ("70b", {}), ("Bot", {"stack_name": "my_bot"})])
    def test_a_name_that_no_stack_may_have(self, id_, options):
        with pytest.raises(ConstructError, match=rf"^{id_}: Stack name must match the regular expression"):
            EndpointStack(App(), id_, spec=SPEC, **options)

    def test_a_name_that_is_taken(self):
        app = App()
        EndpointStack(app, "Bot", spec=SPEC)
        with pytest.raises(ConstructError, match=r"^Bot: there is a construct with this id already"):
            EndpointStack(app, "Bot", spec=SPEC)

    def test_an_option_that_there_is_not(self):
        with pytest.raises(ConstructError, match=r"^Bot: there is no option stackname\. Did you mean stack_name\?"):
            EndpointStack(App(), "Bot", spec=SPEC, stackname="bot")

    def test_a_topic_that_is_none(self):
        with pytest.raises(ConstructError, match=r"^Bot: ARNs must start with"):
            EndpointStack(App(), "Bot", spec=SPEC, alarm_topic="alarms")

    def test_a_topic_of_another_region(self):
        with pytest.raises(ConstructError, match=r"^Bot: alarm_topic is in eu-west-1, and the stack in us-east-1"):
            EndpointStack(App(), "Bot", spec=SPEC, alarm_topic=TOPIC)

    def test_the_app_ends_in_one_line(self, monkeypatch, tmp_path):
        spec = tmp_path / "endpoint.yaml"
        spec.write_text("name: bot\nvariants: [{name: main, model_name: a, instance_type: ml.g5.xlarge}]\n", "utf-8")
        app = App(context={"spec": str(spec), "alarm_topic": "nobody"})
        monkeypatch.setattr("warmroute_cdk.app.App", lambda: app)
        with pytest.raises(
            SystemExit, match=r'^bot: ARNs must start with "arn:" and have at least 6 components: nobody$'
        ):
            main()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rol": None}, r"there is no option rol\. Did you mean role\?"),
        ({"role": "arn:aws:iam::123456789012:role/x"}, r"role: str is not what it takes\. .* Role\.from_role_arn"),
        ({"role": Role}, "role: the class Role is not what it takes"),
        ({"vpc": "vpc-1"}, "vpc: str is not what it takes"),
        ({"encryption_key": "alias/mine"}, "encryption_key: str is not what it takes"),
        ({"hugging_face_token": "hf_secret"}, "hugging_face_token: str is not what it takes"),
        ({"rollback_alarms": "errors"}, r"rollback_alarms is one str\. Give a list"),
        ({"rollback_alarms": [3]}, "rollback_alarms: int is not what it takes"),
        ({"security_groups": ["sg-1"]}, "security_groups: str is not what it takes"),
        ({"vpc_subnets": ["subnet-1"]}, "vpc_subnets: list is not what it takes"),
    ],
)
def test_what_stands_for_no_field_of_a_spec(stack, given, said):
    with pytest.raises(ConstructError, match=rf"^Test/Bot: {said}") as caught:
        VllmEndpoint(stack, "Bot", spec=SPEC, **given)
    assert "hf_secret" not in str(caught.value)
    with pytest.raises(ConstructError, match=rf"^Stack: {said}"):
        EndpointStack(App(), "Stack", spec=SPEC, **given)


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (SubnetSelection(subnet_type=SubnetType.PRIVATE_ISOLATED), "There are no 'Isolated' subnet groups in this VPC"),
        (SubnetSelection(subnet_type=SubnetType.PUBLIC, subnet_group_name="x"), "Only one of 'subnetType,subnetGroup"),
    ],
)
def test_subnets_that_the_vpc_does_not_have(stack, selection, said):
    with pytest.raises(ConstructError, match=rf"^Test/Bot: {said}"):
        VllmEndpoint(stack, "Bot", spec=SPEC, vpc=Vpc(stack, "Vpc", max_azs=2), vpc_subnets=selection)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"server_error": None}, r": there is no option server_error\. Did you mean server_errors\?"),
        ({"server_errors": 5}, r": server_errors is int\. Give MetricAlarm\(\.\.\.\), or None"),
        ({"latency": MetricAlarm(threshold=5)}, r": latency is MetricAlarm\. Give LatencyAlarm"),
        (
            {"server_errors": MetricAlarm(threshold=1, period=Duration.seconds(7))},
            "/server-errors-main: 'period' must be 1, 5, 10, 30, or a multiple of 60 seconds",
        ),
        (
            {"kv_cache": QueryAlarm(threshold=1, evaluation_interval=Duration.days(10))},
            "/kv-cache-main: evaluationInterval must be between 10 and 3600 seconds",
        ),
        ({"alarm_actions": "pager"}, ": alarm_actions is not a list of actions"),
        ({"ok_actions": ["pager"]}, ": ok_actions is not a list of actions"),
    ],
)
def test_settings_that_fit_no_alarm(stack, settings, said):
    with pytest.raises(ConstructError, match=rf"^Test/Alarms{said}"):
        EndpointAlarms(stack, "Alarms", spec=SPEC, **settings)


def test_a_topic_is_not_an_action(stack):
    with pytest.raises(ConstructError, match=r"alarm_actions is not a list of actions\. .*SnsAction\(topic\)"):
        EndpointAlarms(stack, "Alarms", spec=SPEC, alarm_actions=[Topic(stack, "Topic")])
    with pytest.raises(ConstructError, match="alarm_actions is not a list of actions"):
        EndpointAlarms(stack, "Others", spec=SPEC, alarm_actions=SnsAction(Topic(stack, "Other")))


def test_numbers_that_a_query_or_a_conversion_needs(stack):
    later = number(stack)
    for settings in (
        {"latency": LatencyAlarm(threshold=later, statistic="p90")},
        {"latency": LatencyAlarm(threshold=Duration.seconds(later), statistic="p90")},
        {"kv_cache": QueryAlarm(threshold=later)},
    ):
        with pytest.raises(ConstructError, match=r"^Test/Alarms: \w+: its threshold is known at deployment only"):
            EndpointAlarms(stack, "Alarms", spec=SPEC, **settings)


def test_an_alarm_that_would_wait_for_the_endpoint(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPEC)
    by_token = Alarm(
        stack, "Token", metric=endpoint.variant("main").metric_model_latency(), threshold=1, evaluation_periods=1
    )
    with pytest.raises(ConstructError, match=r"^Test/Bot: the alarm Test/Token refers to the endpoint") as caught:
        endpoint.add_rollback_alarms(by_token)
    assert "VariantMetrics('support-bot', ...)" in str(caught.value)
    by_text = VariantMetrics("support-bot", "main").metric_model_latency()
    endpoint.add_rollback_alarms(Alarm(stack, "Text", metric=by_text, threshold=1, evaluation_periods=1))


def test_metrics_of_what_there_is_not(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["autoscaled"].model_copy(update={"region": None}))
    with pytest.raises(
        ConstructError, match=r"^Test/Bot: the spec has no variant mian\. There are main, next, account"
    ):
        endpoint.variant("mian")
    with pytest.raises(ConstructError, match=r"^Test/Bot: the spec has no component llama\. It has none"):
        endpoint.component("llama")
    with pytest.raises(ConstructError, match=r"^ModelLatency: 'period' must be 1, 5, 10, 30"):
        endpoint.variant("main").metric_model_latency(period=Duration.seconds(7))
    with pytest.raises(ConstructError, match=r"^ModelLatency: Dimension value must be at least 1"):
        VariantMetrics("", "main").metric_model_latency()


def test_grants_to_nobody_and_for_nothing(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPEC)
    with pytest.raises(ConstructError, match=r"^Test/Bot: a grant is to a role, a user or a function, not to str"):
        endpoint.grant_invoke("arn:aws:iam::123456789012:role/x")
    with pytest.raises(ConstructError, match=r"^Test/Bot: a grant without actions allows nothing"):
        endpoint.grant(Role.from_role_name(stack, "Role", "caller"))


@pytest.mark.parametrize(
    ("make", "given", "said"),
    [
        ("from_endpoint_name", "", "no endpoint is named"),
        ("from_endpoint_name", "arn:aws:sagemaker:us-east-1:1:endpoint/x", "no endpoint can be called 'arn:aws"),
        ("from_endpoint_arn", "bot", "'bot' is not the ARN of an endpoint"),
        ("from_endpoint_arn", "arn:aws:s3:::bucket", "'arn:aws:s3:::bucket' is not the ARN of an endpoint"),
        ("from_endpoint_arn", "", "no endpoint is named"),
    ],
)
def test_endpoints_that_cannot_exist(stack, make, given, said):
    with pytest.raises(ConstructError, match=rf"^Test/Theirs: {said}"):
        getattr(VllmEndpoint, make)(stack, "Theirs", given)


def test_parts_without_the_parts_that_they_refer_to(stack):
    with pytest.raises(ConstructError, match=r"^Test/Configuration: it refers to the Model of the spec, and no part"):
        EndpointConfiguration(stack, "Configuration", spec=SPEC)


def test_a_policy_of_what_is_no_role(stack):
    with pytest.raises(ConstructError, match=r"^Test/Policy: roles holds what is no role"):
        ExecutionPolicy(stack, "Policy", spec=WITHOUT_ROLE, roles=["serving"])


def test_a_dashboard_s_name(stack):
    with pytest.raises(
        ConstructError, match=r"^Test/Dashboard: The value a b for field dashboardName contains invalid"
    ):
        EndpointDashboard(stack, "Dashboard", spec=SPEC, dashboard_name="a b")


def test_an_error_that_is_not_the_cdk_s_passes(stack, monkeypatch):
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr("warmroute_cdk.vllm_endpoint.BoundSpec", broken)
    with pytest.raises(RuntimeError, match="ours"):
        VllmEndpoint(stack, "Bot", spec=SPEC)
