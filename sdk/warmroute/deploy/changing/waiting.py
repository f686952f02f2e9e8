"""Waits for endpoints and components, through the hiccups of a long wait."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account import faults
from warmroute.deploy.account.aws import PATIENCE
from warmroute.deploy.changing.failure import reason_of, where_to_look
from warmroute.deploy.changing.looks import endpoint_look
from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.progress import Action

LONGEST_WAIT_SECONDS = 28_800
"""The longest that a guardrail may let an update take. Source: botocore ``MaximumExecutionTimeoutInSeconds``."""

ROLL_BACK_SECONDS = 3_600
"""How much longer than its guardrail an update is waited for, since it is rolled back only then."""

_SETTLED = {"InService", "Failed", "OutOfService", "UpdateRollbackFailed"}
_GOES_ON = "What SageMaker has begun goes on; apply again to follow it."


def wait_for_endpoint(
    aws: Aws,
    name: str,
    config: str,
    *,
    poll_seconds: float,
    on_progress: Callable[[Progress], None],
    guardrails: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Wait until an endpoint serves a configuration.

    Args:
        aws: The account and region.
        name: The endpoint.
        config: The configuration that it was told to run. An update that is rolled back ends in service as well, on
            another one.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every look.
        guardrails: DeploymentConfig of the update; its time-out is how long the wait lasts.

    Returns:
        What DescribeEndpoint says of it then.

    Raises:
        DeploymentError: The endpoint failed, was rolled back or went away, or AWS cannot be asked any more.
    """
    changing, unseen, before = False, 0, None
    longest = longest_wait(guardrails)
    for state, waited in _states(aws, "describe_endpoint", {"EndpointName": name}, poll_seconds, longest):
        status, runs = state["EndpointStatus"], state["EndpointConfigName"]
        before = before or runs
        is_before = (status == "InService" and runs != config) or status == "UpdateRollbackFailed"
        if is_before and not changing and unseen < PATIENCE:
            unseen += 1  # The update is not seen yet.
            continue
        on_progress(endpoint_look(name, state, waited))
        changing = changing or status not in _SETTLED
        if status not in _SETTLED:
            continue
        if status != "InService":
            raise DeploymentError(
                f"Endpoint {name} ended in state {status}: {reason_of(state)}.",
                where_to_look(aws, name, state, guardrails),
            )
        if runs not in {config, before} and "FailureReason" not in state:
            raise DeploymentError(
                f"Endpoint {name} serves {runs}: somebody else has updated it meanwhile.",
                "Compare with: warmroute plan, then apply again if this spec is the one that is wanted.",
            )
        if runs != config:
            raise DeploymentError(
                f"The update of endpoint {name} was rolled back: {reason_of(state)}.",
                f"It still serves {runs}; {where_to_look(aws, name, state, guardrails)}",
            )
        return state
    raise AssertionError("unreachable")


def wait_until_settled(aws: Aws, name: str, *, poll_seconds: float, on_progress: Callable[[Progress], None]) -> None:
    """Wait until an endpoint is in the middle of nothing, or gone.

    Args:
        aws: The account and region.
        name: The endpoint.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every look.

    Raises:
        DeploymentError: AWS cannot be asked any more.
    """
    if aws.describe("describe_endpoint", EndpointName=name) is None:
        return
    states = _states(aws, "describe_endpoint", {"EndpointName": name}, poll_seconds, gone_is_fine=True)
    for state, waited in states:
        if state["EndpointStatus"] in _SETTLED:
            return
        on_progress(endpoint_look(name, state, waited))


def wait_for_component(
    aws: Aws,
    name: str,
    *,
    poll_seconds: float,
    on_progress: Callable[[Progress], None],
    guardrails: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Wait until an inference component serves.

    Args:
        aws: The account and region.
        name: The component.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every look.
        guardrails: DeploymentConfig of the update; its time-out is how long the wait lasts.

    Returns:
        What DescribeInferenceComponent says of it then.

    Raises:
        DeploymentError: The component failed or went away, or AWS cannot be asked any more.
    """
    longest = longest_wait(guardrails)
    named = {"InferenceComponentName": name}
    for state, waited in _states(aws, "describe_inference_component", named, poll_seconds, longest):
        status = state["InferenceComponentStatus"]
        action: Action = "ready" if status == "InService" else "waiting"
        on_progress(Progress(action, "inference component", name, status, waited_seconds=waited))
        if status == "Failed":
            remedy = where_to_look(aws, name, state, guardrails, group="InferenceComponents")
            raise DeploymentError(f"Inference component {name} failed: {reason_of(state)}.", remedy)
        if status == "InService":
            return state
    raise AssertionError("unreachable")


def wait_until_gone(
    aws: Aws,
    operation: str,
    named: dict[str, str],
    kind: str,
    *,
    poll_seconds: float,
    on_progress: Callable[[Progress], None],
) -> None:
    """Wait until a resource that is being deleted is gone.

    Args:
        aws: The account and region.
        operation: boto3's name of the describing method.
        named: Its parameters: what names the resource.
        kind: What the resource is called.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every look.

    Raises:
        DeploymentError: It stays, or AWS cannot be asked any more.
    """
    (name,) = named.values()
    for state, waited in _states(aws, operation, named, poll_seconds, gone_is_fine=True):
        status = state.get("EndpointStatus") or state.get("InferenceComponentStatus") or ""
        if status == "Failed":
            raise DeploymentError(f"{kind} {name} cannot be deleted: {reason_of(state)}.", "Try again.")
        on_progress(Progress("waiting", kind, name, status, waited_seconds=waited))


def longest_wait(guardrails: Mapping[str, Any] | None) -> float:
    """How long an update can take, in seconds: its guardrail's time-out and a roll-back, or the longest time-out.

    Args:
        guardrails: DeploymentConfig of the update.
    """
    for policy in ("BlueGreenUpdatePolicy", "RollingUpdatePolicy"):
        timeout = ((guardrails or {}).get(policy) or {}).get("MaximumExecutionTimeoutInSeconds")
        if timeout:
            return float(timeout) + ROLL_BACK_SECONDS
    return LONGEST_WAIT_SECONDS


def _states(
    aws: Aws,
    operation: str,
    named: dict[str, str],
    poll_seconds: float,
    longest: float = LONGEST_WAIT_SECONDS,
    *,
    gone_is_fine: bool = False,
) -> Iterator[tuple[dict[str, Any], float]]:
    """The states of a resource and how long it has been waited for, one each look."""
    (name,) = named.values()
    waited, pause, failures = 0.0, min(1.0, poll_seconds), 0
    while waited <= longest:
        try:
            state = aws.describe(operation, **named)
        except DeploymentError as error:
            failures += 1
            if failures >= PATIENCE or not faults.is_passing(error):
                raise DeploymentError(error.message, f"{error.remedy} {_GOES_ON}".strip()) from error
        else:
            failures = failures + 1 if state is None else 0
            if state is None and gone_is_fine:
                return
            if failures >= PATIENCE:
                raise DeploymentError(f"{name} is gone: it was deleted while it was waited for.")
            if state is not None:
                yield state, waited
        time.sleep(pause)
        waited += pause
        pause = min(poll_seconds, pause * 1.5)
    raise DeploymentError(f"{name} has not settled within {longest:,.0f} seconds.", _GOES_ON)
