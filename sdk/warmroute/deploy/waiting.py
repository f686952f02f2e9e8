"""Waits for endpoints and components, through the hiccups of a long wait."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warmroute.deploy.aws import Aws

_SETTLED = {"InService", "Failed", "OutOfService", "UpdateRollbackFailed"}

_LONGEST_WAIT_SECONDS = 28_800
"""The longest that a guardrail may let an update take. Source: botocore ``MaximumExecutionTimeoutInSeconds``."""

_PATIENCE = 5
"""Looks in a row that may fail, or may not see yet what has just been asked for: SageMaker's reads are eventually
consistent, and a wait of an hour outlives a throttled call."""

_GOES_ON = "What SageMaker has begun goes on; apply again to follow it."


def wait_for_endpoint(
    aws: Aws, name: str, config: str, *, poll_seconds: float, on_progress: Callable[[Progress], None]
) -> None:
    """Wait until an endpoint serves a configuration.

    Args:
        aws: The account and region.
        name: The endpoint.
        config: The configuration that it was told to run. An update that is rolled back ends in service as well, on
            another one.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every look.

    Raises:
        DeploymentError: The endpoint failed, was rolled back or went away, or AWS cannot be asked any more.
    """
    changing, unseen = False, 0
    for state in _states(aws, "describe_endpoint", {"EndpointName": name}, poll_seconds):
        status, reason = state["EndpointStatus"], _reason(state)
        if status == "InService" and state["EndpointConfigName"] != config and not changing and unseen < _PATIENCE:
            unseen += 1  # The update is not seen yet.
            continue
        on_progress(_look(name, state))
        changing = changing or status not in _SETTLED
        if status not in _SETTLED:
            continue
        if status != "InService":
            raise DeploymentError(f"Endpoint {name} ended in state {status}: {reason}.")
        if state["EndpointConfigName"] != config:
            raise DeploymentError(
                f"The update of endpoint {name} was rolled back: {reason}.",
                f"It still serves {state['EndpointConfigName']}; look at its alarms and container logs.",
            )
        return


def wait_for_component(aws: Aws, name: str, *, poll_seconds: float, on_progress: Callable[[Progress], None]) -> None:
    """Wait until an inference component serves.

    Args:
        aws: The account and region.
        name: The component.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every look.

    Raises:
        DeploymentError: The component failed or went away, or AWS cannot be asked any more.
    """
    for state in _states(aws, "describe_inference_component", {"InferenceComponentName": name}, poll_seconds):
        status = state["InferenceComponentStatus"]
        on_progress(Progress("ready" if status == "InService" else "waiting", "inference component", name, status))
        if status == "Failed":
            raise DeploymentError(f"Inference component {name} failed: {_reason(state)}.")
        if status == "InService":
            return


def _look(name: str, state: dict[str, Any]) -> Progress:
    status, variants = state["EndpointStatus"], state.get("ProductionVariants", [])
    return Progress(
        "ready" if status == "InService" else "waiting",
        "endpoint",
        name,
        status,
        sum(variant.get("CurrentInstanceCount", 0) for variant in variants),
        sum(variant.get("DesiredInstanceCount", 0) for variant in variants),
    )


def _reason(state: dict[str, Any]) -> str:
    return str(state.get("FailureReason") or "SageMaker gives no reason").rstrip(".")


def _states(aws: Aws, operation: str, named: dict[str, str], poll_seconds: float) -> Iterator[dict[str, Any]]:
    """The states of a resource, one each look, for as long as the longest update may take."""
    (name,) = named.values()
    waited, pause, failures = 0.0, min(1.0, poll_seconds), 0
    while waited <= _LONGEST_WAIT_SECONDS:
        try:
            state = aws.describe(operation, **named)
        except DeploymentError as error:
            failures += 1
            if failures >= _PATIENCE or not aws.is_passing(error):
                raise DeploymentError(error.message, f"{error.remedy} {_GOES_ON}".strip()) from error
        else:
            failures = failures + 1 if state is None else 0
            if failures >= _PATIENCE:
                raise DeploymentError(f"{name} is gone: it was deleted while it was waited for.")
            if state is not None:
                yield state
        time.sleep(pause)
        waited += pause
        pause = min(poll_seconds, pause * 1.5)
    raise DeploymentError(f"{name} has not settled within {_LONGEST_WAIT_SECONDS:,} seconds.", _GOES_ON)
