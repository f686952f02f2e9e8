"""Why a deployment failed, and where to look: SageMaker's reason, the alarm, the log of the containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.deploy.account.aws import Aws

_ADVICE = {
    "capacity": "Try again later, or give the variant instance_pools or a capacity_reservation_config.",
    "health check": "Raise container_startup_health_check_timeout_in_seconds, where loading the model takes longer.",
}
"""What helps, by a phrase of SageMaker's reason."""

_CONSOLES = {"cn": "console.amazonaws.cn", "us-gov": "console.amazonaws-us-gov.com"}


def reason_of(state: Mapping[str, Any]) -> str:
    """Why something failed, in SageMaker's words.

    Args:
        state: What the Describe call says.
    """
    return str(state.get("FailureReason") or "SageMaker gives no reason").rstrip(".")


def where_to_look(
    aws: Aws, name: str, state: Mapping[str, Any], guardrails: Mapping[str, Any] | None, *, group: str = "Endpoints"
) -> str:
    """What to do about a failure, and where to find out more: alarms that are ringing, and the log.

    Args:
        aws: The account and region.
        name: The endpoint or component.
        state: What the Describe call says.
        guardrails: DeploymentConfig of the update, which names alarms.
        group: ``Endpoints`` or ``InferenceComponents``.
    """
    ringing = [name for name, state in alarm_states(aws, alarm_names(guardrails)).items() if state == "ALARM"]
    alarms = f"In ALARM: {', '.join(ringing)}. " if ringing else ""
    reason = reason_of(state).lower()
    advice = next((f"{advice} " for phrase, advice in _ADVICE.items() if phrase in reason), "")
    return f"{advice}{alarms}Log of the containers: {log_url(aws.region, name, group=group)}"


def log_url(region: str, name: str, *, group: str = "Endpoints") -> str:
    """The page of CloudWatch that shows the log of an endpoint's or a component's containers.

    Args:
        region: AWS region.
        name: The endpoint or component.
        group: ``Endpoints`` or ``InferenceComponents``.
    """
    host = next((host for part, host in _CONSOLES.items() if region.startswith(part)), "console.aws.amazon.com")
    # The console writes / of a log group as $252F.
    return (
        f"https://{region}.{host}/cloudwatch/home?region={region}"
        f"#logsV2:log-groups/log-group/$252Faws$252Fsagemaker$252F{group}$252F{name}"
    )


def alarm_names(guardrails: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The alarms that roll an update back.

    Args:
        guardrails: DeploymentConfig of an endpoint or a component.
    """
    rollback = (guardrails or {}).get("AutoRollbackConfiguration") or {}
    return tuple(alarm["AlarmName"] for alarm in rollback.get("Alarms") or ())


def alarm_states(aws: Aws, names: tuple[str, ...]) -> dict[str, str]:
    """The state of each alarm that exists, by name; none where CloudWatch does not answer.

    Args:
        aws: The account and region.
        names: The alarms.
    """
    if not names:
        return {}
    try:
        answer = aws.call(
            "cloudwatch", "describe_alarms", AlarmNames=list(names), AlarmTypes=["MetricAlarm", "CompositeAlarm"]
        )
    except DeploymentError:
        return {}
    found = (*answer.get("MetricAlarms", ()), *answer.get("CompositeAlarms", ()))
    return {alarm["AlarmName"]: alarm["StateValue"] for alarm in found}
