"""Creates or updates the endpoint of a spec, waits, and verifies that it runs what was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from warmroute.deploy.aws import Aws, default_session, region_of
from warmroute.deploy.components import component_update
from warmroute.deploy.progress import Action, Progress
from warmroute.deploy.tags import sync_tags
from warmroute.deploy.waiting import wait_for_component, wait_for_endpoint
from warmroute.errors import DeploymentError, IncompleteSpecError
from warmroute.render import to_boto3

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boto3.session import Session

    from warmroute.hosting import EndpointSpec
    from warmroute.render import Call

Result = Literal["created", "updated", "unchanged"]
"""What a deployment did to one resource."""

MAX_POLL_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a deployment did."""

    endpoint: str
    """Name of the endpoint."""

    result: Result
    """What happened to the endpoint."""

    endpoint_config: str
    """Name of the configuration that the endpoint runs."""

    region: str
    """Region of the endpoint."""

    components: Mapping[str, Result] = field(default_factory=dict)
    """What happened to each inference component, by its name."""

    left_out: tuple[str, ...] = ()
    """Components and scaling that were not looked at, since they need a serving endpoint."""

    left_over: tuple[str, ...] = ()
    """Components that run on the endpoint, and that the spec does not have; they are left alone."""


class Deployment:
    """One spec on its way to one account and region.

    Applying it twice changes nothing the second time: the names of models and configurations are a hash of
    their content, and an endpoint that already runs its configuration is left alone.

    Args:
        spec: What to deploy.
        session: Credentials and configuration; by default boto3's default session.
        poll_seconds: Longest time between two looks at the endpoint while it is waited for; the first ones follow
            each other faster.

    Raises:
        IncompleteSpecError: The spec is a description that does not name its endpoint.
        DeploymentError: Neither spec nor session names a region, or the environment's profile does not exist.
    """

    def __init__(self, spec: EndpointSpec, session: Session | None = None, *, poll_seconds: float = 10) -> None:
        if not spec.name_is_known:
            raise IncompleteSpecError(
                f"name: {spec.name} is the name of a configuration; a description does not say whose it is.",
                "Add EndpointName, or name: another name is another fleet.",
            )
        if not 0 < poll_seconds <= MAX_POLL_SECONDS:
            raise DeploymentError(
                f"poll_seconds: {poll_seconds} is out of range.", f"Allowed: up to {MAX_POLL_SECONDS:,}."
            )
        self._spec = spec
        session = session or default_session()
        self._region = region_of(spec, session)
        self._aws = Aws(session, self._region)
        self._poll_seconds = poll_seconds

    def apply(self, *, on_progress: Callable[[Progress], None] = lambda _: None, wait: bool = True) -> Outcome:
        """Create or update the endpoint and everything that belongs to it.

        Args:
            on_progress: Told of every step.
            wait: Whether to wait until the endpoint serves. Components and scaling need a serving endpoint, so
                without waiting they are left out, and named in the outcome.

        Raises:
            DeploymentError: AWS refuses, the endpoint is not in a state that can be changed, or the change failed
                or was rolled back. What serves keeps serving.
            IncompleteSpecError: The spec lacks a role or a region that this needs.
        """
        calls = to_boto3(self._spec, region=self._region)
        config = _only(calls, "create_endpoint")["EndpointConfigName"]
        current = self._aws.describe("describe_endpoint", EndpointName=self._spec.name)
        self._refuse_unfit(current, config)
        self._refuse_components_of_others(calls)
        for call in calls:
            if call.operation in _MAKERS:
                self._make_once(call, on_progress)
        result = self._point_endpoint(calls, current, on_progress)
        later = [call for call in calls if call.operation in _NEEDS_SERVICE]
        if not wait:
            left_out = tuple(call.parameters[_NEEDS_SERVICE[call.operation]] for call in later)
            return Outcome(self._spec.name, result, config, self._region, left_out=left_out)
        wait_for_endpoint(self._aws, self._spec.name, config, poll_seconds=self._poll_seconds, on_progress=on_progress)
        components = {}
        for call in later:
            if call.operation == "create_inference_component":
                name = call.parameters["InferenceComponentName"]
                components[name] = self._settle_component(name, call.parameters, on_progress)
            else:
                self._aws.call(call.service, call.operation, **call.parameters)
                on_progress(Progress("ready", "scaling", call.parameters["ResourceId"]))
        return Outcome(self._spec.name, result, config, self._region, components, left_over=self._left_over(components))

    def _refuse_unfit(self, current: dict[str, Any] | None, config: str) -> None:
        """Refuse to touch an endpoint that failed or that is on its way to something else."""
        status = current["EndpointStatus"] if current else "InService"
        if status == "Failed":
            reason = str(current.get("FailureReason", "no reason given") if current else "").rstrip(".")
            raise DeploymentError(
                f"Endpoint {self._spec.name} is in state Failed: {reason}.",
                "SageMaker cannot update it; delete it, then apply again.",
            )
        on_its_way = status in {"Creating", "Updating"} and _config_of(current) == config
        if status not in {"InService", "UpdateRollbackFailed"} and not on_its_way:
            lasting = status in {"OutOfService", "Deleting"}
            raise DeploymentError(
                f"Endpoint {self._spec.name} is in state {status}, so it cannot be changed now.",
                "Apply again once it is deleted." if lasting else "Wait until it is InService, then apply again.",
            )

    def _refuse_components_of_others(self, calls: list[Call]) -> None:
        """Refuse to take over a component that runs on another endpoint; names are unique in account and region."""
        for call in calls:
            if call.operation != "create_inference_component":
                continue
            name = call.parameters["InferenceComponentName"]
            running = self._aws.describe("describe_inference_component", InferenceComponentName=name)
            if running is not None and running["EndpointName"].lower() != self._spec.name.lower():
                raise DeploymentError(
                    f"Inference component {name} belongs to endpoint {running['EndpointName']}.",
                    "Names of components are unique in an account and region: give this one another name.",
                )

    def _make_once(self, call: Call, on_progress: Callable[[Progress], None]) -> None:
        describe, key, arn, kind = _MAKERS[call.operation]
        name = call.parameters[key]
        existing = self._aws.describe(describe, **{key: name})
        action: Action = "created"
        if existing is not None:
            action = self._retag(existing[arn], call.parameters)
        elif not self._aws.create(call.service, call.operation, **call.parameters):
            action = "unchanged"  # Somebody else has just made it; its name is a hash of its content.
        on_progress(Progress(action, kind, name))

    def _retag(self, arn: str, wanted: dict[str, Any]) -> Result:
        return "updated" if "Tags" in wanted and sync_tags(self._aws, arn, wanted["Tags"]) else "unchanged"

    def _point_endpoint(
        self, calls: list[Call], current: dict[str, Any] | None, on_progress: Callable[[Progress], None]
    ) -> Result:
        create = _only(calls, "create_endpoint")
        result: Result
        if current is None and self._aws.create("sagemaker", "create_endpoint", **create):
            result = "created"
        elif current is None:
            raise DeploymentError(
                f"Endpoint {self._spec.name} has just been created by somebody else.", "Apply again to follow it."
            )
        elif _config_of(current) == create["EndpointConfigName"]:
            result = self._retag(current["EndpointArn"], create)
        else:
            self._retag(current["EndpointArn"], create)
            update = _only(to_boto3(self._spec, region=self._region, update=True), "update_endpoint")
            self._aws.call("sagemaker", "update_endpoint", **update)
            result = "updated"
        on_progress(Progress(result, "endpoint", self._spec.name))
        return result

    def _left_over(self, wanted: Mapping[str, Result]) -> tuple[str, ...]:
        """Components that run on the endpoint, and that the spec does not have."""
        if not self._spec.serves_components:
            return ()
        found = self._aws.listed("list_inference_components", "InferenceComponents", EndpointNameEquals=self._spec.name)
        return tuple(sorted({each["InferenceComponentName"] for each in found} - wanted.keys()))

    def _settle_component(self, name: str, wanted: dict[str, Any], on_progress: Callable[[Progress], None]) -> Result:
        """Create or update one component, and wait until it serves."""
        running = self._aws.describe("describe_inference_component", InferenceComponentName=name)
        if running is None:
            self._aws.call("sagemaker", "create_inference_component", **wanted)
            result: Result = "created"
        else:
            result = self._retag(running["InferenceComponentArn"], wanted)
            if update := component_update(self._spec, wanted, running):
                self._aws.call("sagemaker", "update_inference_component", **update)
                result = "updated"
        on_progress(Progress(result, "inference component", name))
        wait_for_component(self._aws, name, poll_seconds=self._poll_seconds, on_progress=on_progress)
        return result


_MAKERS = {
    "create_model": ("describe_model", "ModelName", "ModelArn", "model"),
    "create_endpoint_config": (
        "describe_endpoint_config",
        "EndpointConfigName",
        "EndpointConfigArn",
        "endpoint configuration",
    ),
}
"""How to look for what a call makes: the describing method, its name, its ARN, and what it is called."""


def _config_of(endpoint: dict[str, Any] | None) -> str | None:
    """The configuration that an endpoint runs, or is on its way to."""
    pending = (endpoint or {}).get("PendingDeploymentSummary") or endpoint or {}
    return pending.get("EndpointConfigName")


_NEEDS_SERVICE = {
    "create_inference_component": "InferenceComponentName",
    "register_scalable_target": "ResourceId",
    "put_scaling_policy": "PolicyName",
}
"""What can be made only once the endpoint serves, and the parameter that names it."""


def _only(calls: list[Call], operation: str) -> dict[str, Any]:
    return next(call.parameters for call in calls if call.operation == operation)
