"""The alarms that fit a spec, with their defaults, and how they are changed."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from aws_cdk import App, CfnParameter, Duration, Environment, Stack
from aws_cdk.aws_cloudwatch import Alarm, TreatMissingData
from aws_cdk.aws_cloudwatch_actions import SnsAction
from aws_cdk.aws_sns import Topic
from cdk.published import LABELS, VLLM, queries_of, unknown_series
from cdk.sleeping import SLEEPING
from cdk.synthesis import lint, resources_of, template_of
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks
from render.specs import DEMO, SPECS, demo, demo_variant

from warmroute import IncompleteSpecError, InvalidSettingsError, parse_spec
from warmroute_cdk import EndpointAlarms, LatencyAlarm, MetricAlarm, QueryAlarm, VllmEndpoint
from warmroute_cdk.metrics import UnknownMetricError

SPECS_BY_NAME = {**SPECS, "sleeping": SLEEPING}


def stack(region: str | None = "us-east-1") -> Stack:
    return Stack(App(), "Test", env=Environment(region=region))


def alarms_of(spec: Any, **settings: Any) -> tuple[EndpointAlarms, dict[str, Any]]:
    alarms = EndpointAlarms(stack(spec.region), "Alarms", spec=spec, **settings)
    return alarms, template_of(alarms)


@cache
def standard(name: str) -> tuple[EndpointAlarms, dict[str, Any]]:
    return alarms_of(SPECS_BY_NAME[name], latency=LatencyAlarm(threshold=500, statistic="p90"))


def properties(made: tuple[EndpointAlarms, dict[str, Any]], name: str) -> dict[str, Any]:
    alarms, template = made
    logical = Stack.of(alarms).get_logical_id(alarms.alarms[name].node.default_child)
    found: dict[str, Any] = template["Resources"][logical]["Properties"]
    return found


@pytest.mark.parametrize("name", SPECS_BY_NAME)
def test_every_alarm_is_on_a_series_that_exists_and_lints(name):
    template = standard(name)[1]
    assert unknown_series(template) == []
    assert lint(template) == []
    for query in queries_of(template):
        assert set(re.findall(r"vllm:\w+", query)) <= VLLM
        assert set(re.findall(r'"([a-z_.@]+)"=', query)) | set(re.findall(r'by \("([^"]+)"\)', query)) <= LABELS


def test_a_variant_has_these_alarms():
    assert list(standard("demo")[0].alarms) == [
        "server-errors-main",
        "model-errors-main",
        "latency-main",
        "overhead-main",
        "mid-stream-errors-main",
        "serving-main",
        "hot-instance-main",
        "near-overflow-main",
        "kv-cache-main",
    ]


@pytest.mark.parametrize(
    ("alarm", "threshold", "datapoints", "of", "missing"),
    [
        ("server-errors-main", 1, 3, 5, "notBreaching"),
        ("model-errors-main", 0, 3, 5, "notBreaching"),
        ("mid-stream-errors-main", 0, 2, 5, "notBreaching"),
        ("latency-main", 500_000, 5, 5, "notBreaching"),
        ("overhead-main", 20_000, 5, 5, "notBreaching"),
        ("serving-main", 2, 3, 3, "notBreaching"),
    ],
)
def test_defaults(alarm, threshold, datapoints, of, missing):
    found = properties(standard("demo"), alarm)
    kept = ("Threshold", "DatapointsToAlarm", "EvaluationPeriods", "TreatMissingData")
    assert [found[key] for key in kept] == [threshold, datapoints, of, missing]
    side = "LessThanThreshold" if alarm.startswith("serving") else "GreaterThanThreshold"
    assert found["ComparisonOperator"] == side


def test_near_overflow_follows_from_the_spec_s_threshold():
    query = properties(standard("demo"), "near-overflow-main")["EvaluationCriteria"]["PromQLCriteria"]
    assert query["Query"].endswith(">= 12.8")
    assert query["PendingPeriod"] == 300
    assert '"aws.sagemaker.endpoint.name"="support-bot", "aws.sagemaker.variant.name"="main"' in query["Query"]


def test_components_are_watched_by_copy():
    made = standard("components")
    names = list(made[0].alarms)
    assert {"no-capacity-llama", "serving-llama", "near-overflow-llama"} <= set(names)
    assert not [name for name in names if name.startswith("mid-stream") or name.endswith("-main")]
    query = properties(made, "near-overflow-llama")["EvaluationCriteria"]["PromQLCriteria"]["Query"]
    assert 'sum by ("aws.sagemaker.container.id")' in query
    assert query.endswith(">= 8")
    # An adapter has no copies, and a container of someone else's may not be vLLM.
    assert [name for name in names if name.endswith("legal-adapter")] == [
        "server-errors-legal-adapter", "model-errors-legal-adapter", "latency-legal-adapter", "overhead-legal-adapter"
    ]  # fmt: skip
    assert "kv-cache-foreign" not in names


def test_a_component_may_sleep():
    assert not [name for name in standard("sleeping")[0].alarms if name.startswith(("no-capacity", "serving"))]


def test_a_shadow_variant_sets_nothing_off_and_data_capture_watches_the_disk():
    names = list(standard("everything")[0].alarms)
    assert not [name for name in names if name.endswith("candidate")]
    assert properties(standard("everything"), "disk-main")["Threshold"] == 75
    assert not [name for name in standard("demo")[0].alarms if name.startswith("disk")]


def test_without_detailed_observability_there_is_nothing_to_query():
    made = alarms_of(demo(metrics_config={"enable_detailed_observability": False}))
    assert queries_of(made[1]) == []


def test_one_instance_cannot_be_hot():
    spec = demo(variants=[demo_variant(initial_instance_count=1)])
    assert not [name for name in alarms_of(spec)[0].alarms if name.startswith(("hot", "serving"))]


class TestSettings:
    """Each alarm can be changed or left out."""

    def test_none_leaves_an_alarm_out(self):
        off = dict.fromkeys(
            (
                "server_errors",
                "model_errors",
                "mid_stream_errors",
                "overhead",
                "serving",
                "hot_instance",
                "near_overflow",
            )
        )
        alarms, template = alarms_of(SPECS["demo"], **off)
        assert list(alarms.alarms) == ["kv-cache-main"]
        assert alarms.composite_alarm is None
        assert len(resources_of(template, "AWS::CloudWatch::Alarm")) == 1

    def test_settings_reach_the_alarm(self):
        made = alarms_of(
            SPECS["demo"],
            server_errors=MetricAlarm(
                threshold=5,
                datapoints_to_alarm=1,
                evaluation_periods=2,
                period=Duration.minutes(5),
                treat_missing_data=TreatMissingData.BREACHING,
            ),
            near_overflow=QueryAlarm(threshold=0.5, pending_period=Duration.minutes(1)),
        )
        found = properties(made, "server-errors-main")
        assert (found["Threshold"], found["DatapointsToAlarm"], found["EvaluationPeriods"]) == (5, 1, 2)
        assert found["TreatMissingData"] == "breaching"
        assert [each["MetricStat"]["Period"] for each in found["Metrics"] if "MetricStat" in each] == [300, 300]
        query = properties(made, "near-overflow-main")["EvaluationCriteria"]["PromQLCriteria"]
        assert query["Query"].endswith(">= 8")
        assert query["PendingPeriod"] == 60

    @pytest.mark.parametrize("limit", [Duration.seconds(2), 2_000])
    def test_latencies_are_given_in_milliseconds_and_compared_in_microseconds(self, limit):
        found = properties(
            alarms_of(SPECS["demo"], latency=LatencyAlarm(threshold=limit, statistic="p99")), "latency-main"
        )
        assert (found["Threshold"], found["ExtendedStatistic"]) == (2_000_000, "p99")
        assert found["AlarmDescription"] == "Variant main answers slowly: p99 over 2000 ms."

    def test_a_statistic_that_does_not_exist_is_refused(self):
        with pytest.raises(UnknownMetricError, match="OverheadLatency: SageMaker publishes no p90"):
            alarms_of(SPECS["demo"], overhead=LatencyAlarm(threshold=20, statistic="p90"))

    def test_actions_reach_every_alarm_and_the_composite_has_its_own(self):
        where = stack()
        action, page = SnsAction(Topic(where, "Topic")), SnsAction(Topic(where, "Page"))
        updating = Alarm.from_alarm_arn(where, "Updating", "arn:aws:cloudwatch:us-east-1:123456789012:alarm:updating")
        alarms = EndpointAlarms(
            where,
            "Alarms",
            spec=SPECS["demo"],
            alarm_actions=[action],
            ok_actions=[action],
            composite_actions=[page],
            suppressor=updating,
        )
        template = template_of(alarms)
        assert all(
            len(each["Properties"]["AlarmActions"]) == len(each["Properties"]["OKActions"]) == 1
            for each in resources_of(template, "AWS::CloudWatch::Alarm")
        )
        (composite,) = resources_of(template, "AWS::CloudWatch::CompositeAlarm")
        assert composite["Properties"]["ActionsSuppressor"].endswith(":alarm:updating")
        assert len(composite["Properties"]["AlarmActions"]) == 1

    def test_the_composite_is_of_errors_and_hot_instances(self):
        (composite,) = resources_of(standard("demo")[1], "AWS::CloudWatch::CompositeAlarm")
        rule = "".join(
            part if isinstance(part, str) else part["Fn::GetAtt"][0]
            for part in composite["Properties"]["AlarmRule"]["Fn::Join"][1]
        )
        assert re.fullmatch(r'\(ALARM\("Alarmsservererrors\w+"\) OR ALARM\("Alarmshotinstance\w+"\)\)', rule)


class TestRollback:
    """Alarms that roll updates back name the endpoint, and the endpoint names them, without a circle."""

    def test_the_endpoint_waits_for_its_alarms_and_not_they_for_it(self):
        where = stack()
        endpoint = VllmEndpoint(where, "Bot", spec=SPECS["demo"])
        alarms = EndpointAlarms(
            where, "Alarms", endpoint=endpoint, latency=LatencyAlarm(threshold=500, statistic="p90")
        )
        endpoint.add_rollback_alarms(*alarms.rollback_alarms)
        template = template_of(endpoint)
        (made,) = resources_of(template, "AWS::SageMaker::Endpoint")
        names = made["Properties"]["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"]
        assert [each["AlarmName"]["Ref"][:16] for each in names] == [
            "Alarmsservererro", "Alarmsmodelerror", "Alarmslatencymai", "Alarmsmidstreame"
        ]  # fmt: skip
        assert lint(template) == []  # A circle is E3004.
        watched = str(resources_of(template, "AWS::CloudWatch::Alarm"))
        assert "Fn::GetAtt" not in watched
        assert "'Value': 'support-bot'" in watched

    def test_a_name_that_is_known_only_later_is_refused(self):
        where = stack()
        name = CfnParameter(where, "Name").value_as_string
        with pytest.raises(IncompleteSpecError, match=r"^Test/Alarms: endpoint_name is not known before deployment"):
            EndpointAlarms(where, "Alarms", spec=SPECS["demo"], endpoint_name=name)

    def test_more_than_ten_are_refused_by_the_endpoint(self):
        where = stack()
        text = (
            DEMO.split("variants:")[0]
            + "variants:\n"
            + "".join(
                f"  - {{name: v{n}, instance_type: ml.p5.48xlarge, initial_instance_count: 2}}\n" for n in range(4)
            )
        )
        endpoint = VllmEndpoint(where, "Bot", spec=parse_spec(text))
        alarms = EndpointAlarms(where, "Alarms", endpoint=endpoint)
        with pytest.raises(InvalidSettingsError, match="10"):
            endpoint.add_rollback_alarms(*alarms.rollback_alarms)


def test_something_must_be_watched():
    with pytest.raises(IncompleteSpecError, match=r"^Test/Alarms: nothing says what to watch"):
        EndpointAlarms(stack(), "Alarms")


class TestPolicyCheckers:
    """cdk-nag asks for an action of every alarm."""

    PACKS = (AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks)

    def findings(self, where: Stack) -> set[str]:
        app = where.node.root
        return {each.rule_name for pack in self.PACKS for each in pack(app).validate_scope(app).violations}

    def test_alarms_with_actions_are_clean(self):
        where = stack()
        topic = Topic.from_topic_arn(where, "Topic", "arn:aws:sns:us-east-1:123456789012:alarms")
        EndpointAlarms(where, "Alarms", spec=SPECS["demo"], alarm_actions=[SnsAction(topic)])
        assert self.findings(where) == set()

    def test_alarms_without_actions_are_found_unless_there_is_a_reason(self):
        where = stack()
        EndpointAlarms(where, "Alarms", spec=SPECS["demo"])
        assert {each.partition("-")[2] for each in self.findings(where)} == {"CloudWatchAlarmAction"}
        where = stack()
        EndpointAlarms(where, "Alarms", spec=SPECS["demo"], no_actions_reason="A test account: nobody is on call.")
        assert self.findings(where) == set()
