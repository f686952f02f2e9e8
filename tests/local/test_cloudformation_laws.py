"""What holds of every sequence of templates: the last one decides, and what fails changes nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from local.stack_world import Account, account, endpoint, get, resource, topic

from warmroute.local.control import fail_next_deployment

STRATEGIES = ("RANDOM", "LEAST_OUTSTANDING_REQUESTS")


@st.composite
def templates(draw: st.DrawFn) -> dict[str, Any]:
    """An endpoint that may be there, differently configured, scaled and watched, and topics under any name."""
    resources: dict[str, Any] = {"Always": topic("always")}
    if draw(st.booleans()):
        resources |= endpoint(draw(st.sampled_from(STRATEGIES)), draw(st.integers(1, 3)), EndpointName="bot")
        if draw(st.booleans()):
            resources["Target"] = resource(
                "ApplicationAutoScaling::ScalableTarget",
                {
                    "ServiceNamespace": "sagemaker",
                    "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
                    "ResourceId": {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/main"},
                    "MinCapacity": 1,
                    "MaxCapacity": draw(st.integers(3, 5)),
                },
            )
    for name in draw(st.sets(st.sampled_from(["a", "b", "c"]))):
        threshold = draw(st.integers(1, 2))
        resources[f"Alarm{name}"] = resource(
            "CloudWatch::Alarm",
            {
                "AlarmName": f"{name}-{draw(st.integers(1, 2))}",
                "ComparisonOperator": "GreaterThanThreshold",
                "EvaluationPeriods": 1,
                "Threshold": threshold,
                "Namespace": "AWS/SageMaker",
                "MetricName": "Invocations",
                "Period": 60,
                "Statistic": "Sum",
                "AlarmActions": [{"Ref": "Always"}] if draw(st.booleans()) else [get("Always", "TopicArn")],
            },
        )
    return resources


def seen(aws: Account) -> dict[str, Any]:
    """What the account has, without made-up names."""
    described = []
    for summary in aws.sagemaker.list_endpoints()["Endpoints"]:
        found = aws.sagemaker.describe_endpoint(EndpointName=summary["EndpointName"])
        (variant,) = found["ProductionVariants"]
        kept = ("VariantName", "CurrentInstanceCount", "RoutingConfig")
        described.append((found["EndpointName"], found["EndpointStatus"], {key: variant[key] for key in kept}))
    targets = aws.client("application-autoscaling").describe_scalable_targets(ServiceNamespace="sagemaker")
    alarms = aws.client("cloudwatch").describe_alarms()["MetricAlarms"]
    return {
        "endpoints": described,
        "models": len(aws.sagemaker.list_models()["Models"]),
        "configs": len(aws.configs()),
        "targets": [(each["ResourceId"], each["MaxCapacity"]) for each in targets["ScalableTargets"]],
        "topics": sorted(each["TopicArn"] for each in aws.client("sns").list_topics()["Topics"]),
        "alarms": sorted((each["AlarmName"], each["Threshold"], *each["AlarmActions"]) for each in alarms),
    }


def deploy(aws: Account, resources: dict[str, Any], number: int) -> str:
    """Deploy; a description makes sure that something changes."""
    template = {"Description": str(number)}
    return aws.deploy(resources, template=template)


@settings(max_examples=8)
@given(st.lists(templates(), min_size=2, max_size=3))
def test_the_last_template_decides(sequence):
    with account() as aws:
        for number, resources in enumerate(sequence):
            assert deploy(aws, resources, number).endswith("_COMPLETE")
            assert "ROLLBACK" not in aws.stack()["StackStatus"], aws.reasons()
        reached = seen(aws)
        assert aws.delete() == "DELETE_COMPLETE"
        assert not any(seen(aws).values())
    with account() as fresh:
        deploy(fresh, sequence[-1], 0)
        assert reached == seen(fresh)


@settings(max_examples=8)
@given(templates(), templates())
def test_an_update_that_fails_changes_nothing(before, after):
    broken = {
        **after,
        "Broken": resource(
            "SNS::Topic", {"TopicName": "taken"}, DependsOn=[name for name in after if name != "Broken"]
        ),
    }
    with account() as aws:
        aws.client("sns").create_topic(Name="taken")
        deploy(aws, before, 0)
        account_before, ids = seen(aws), aws.physical_ids()
        assert deploy(aws, broken, 1) == "UPDATE_ROLLBACK_COMPLETE", aws.reasons()
        assert (seen(aws), aws.physical_ids()) == (account_before, ids)


def test_a_creation_that_fails_leaves_nothing():
    with account() as aws:
        empty = seen(aws)
        fail_next_deployment("bot", "No capacity.")
        assert aws.deploy({"Topic": topic(), **endpoint(EndpointName="bot")}) == "ROLLBACK_COMPLETE"
        assert seen(aws) == empty
