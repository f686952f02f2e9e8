"""Endpoints: their life from Creating to gone, and the deployments that they go through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.local.control.clock import moment
from warmroute.local.control.deployments import Deployment
from warmroute.local.control.endpoint_configs import EndpointConfig
from warmroute.local.control.listing import list_page
from warmroute.local.control.readiness import once_ready
from warmroute.local.control.refusals import RefusedError, in_progress
from warmroute.local.control.registry import Resource
from warmroute.local.control.snapshot import future_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from warmroute.local.control.deployments import Variant
    from warmroute.local.control.registry import Registry, Request, Response

_IN_PROGRESS = {"Creating", "Updating", "RollingBack", "Deleting"}


@dataclass(eq=False)
class Endpoint(Resource):
    """An endpoint: what is in force, and what is on its way."""

    kind: ClassVar[str] = "endpoint"
    arn_kind: ClassVar[str] = "endpoint"
    any_case: ClassVar[bool] = True  # Source: botocore CreateEndpointInput.EndpointName.

    config: EndpointConfig
    """The configuration that DescribeEndpoint names: in force, or tried first."""

    pending: Deployment | None
    """The deployment under way, while Creating or Updating."""

    live: Deployment | None = None
    """The deployment in force; none before the first has succeeded."""

    status: str = "Creating"
    failure_reason: str = ""
    last_modified_time: float = 0.0
    last_deployment_settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.last_modified_time = self.creation_time

    def uses(self, config: EndpointConfig) -> bool:
        """Whether a configuration is in force here, for longer than a deletion takes, or on its way."""
        return self.status != "Deleting" and any(
            deployment and deployment.config is config for deployment in (self.live, self.pending)
        )

    def become(self, status: str, when: float) -> None:
        """Change the status."""
        self.status, self.last_modified_time = status, when


def create_endpoint(registry: Registry, request: Request) -> Response:
    """Begin an endpoint; it is in service once the clock has passed its creation."""
    name = request["EndpointName"]
    arn = registry.new_arn(Endpoint, name, registry.endpoints)
    config = registry.find(EndpointConfig, request["EndpointConfigName"], registry.endpoint_configs)
    deployment = Deployment.of(registry, config, request.get("DeploymentConfig"))
    endpoint = Endpoint(name, arn, deployment.started, list(request.get("Tags", ())), config, deployment)
    registry.endpoints[name] = endpoint
    fault = registry.faults.pop(name, "")

    def finish(when: float, not_serving: str) -> None:
        if reason := fault or not_serving:
            endpoint.failure_reason = reason
            endpoint.pending = None
            endpoint.become("Failed", when)
        else:
            _enter_service(endpoint, deployment, when)

    due = deployment.started + registry.durations.creating
    _finish_once_ready(registry, due, endpoint, deployment, finish, fails=bool(fault))
    return {"EndpointArn": arn}


def update_endpoint(registry: Registry, request: Request) -> Response:
    """Begin to move an endpoint to another configuration; the old one serves until that is done."""
    endpoint = registry.find(Endpoint, request["EndpointName"], registry.endpoints)
    live = _settled(endpoint)
    config = registry.find(EndpointConfig, request["EndpointConfigName"], registry.endpoint_configs)
    settings = request.get("DeploymentConfig")
    if request.get("RetainDeploymentConfig") and settings is None:
        settings = endpoint.last_deployment_settings
    deployment = Deployment.of(registry, config, settings)
    if request.get("RetainAllVariantProperties"):
        excluded = [each["VariantPropertyType"] for each in request.get("ExcludeRetainedVariantProperties", ())]
        deployment.retain(live, excluded=excluded)
    _check_components_fit(registry, endpoint, deployment)
    endpoint.pending, endpoint.failure_reason = deployment, ""
    endpoint.become("Updating", deployment.started)
    fault = registry.faults.pop(endpoint.name, "")

    def finish(when: float, not_serving: str) -> None:
        if reason := fault or not_serving:
            endpoint.failure_reason = reason
            endpoint.pending = None
            endpoint.become("RollingBack", when)
            registry.agenda.add(when + registry.durations.rolling_back, lambda then: endpoint.become("InService", then))
        else:
            _enter_service(endpoint, deployment, when)

    due = deployment.started + registry.durations.updating
    _finish_once_ready(registry, due, endpoint, deployment, finish, fails=bool(fault))
    return {"EndpointArn": endpoint.arn}


def update_endpoint_weights_and_capacities(registry: Registry, request: Request) -> Response:
    """Begin to give variants other weights or instance counts."""
    endpoint = registry.find(Endpoint, request["EndpointName"], registry.endpoints)
    live = _settled(endpoint)
    for variant, wanted in _wanted(live, request["DesiredWeightsAndCapacities"]):
        variant.desired_weight = wanted.get("DesiredWeight", variant.desired_weight)
        if variant.serverless is not None:
            variant.serverless = {**variant.serverless, **wanted.get("ServerlessUpdateConfig", {})}
        else:
            variant.desired_instance_count = wanted.get("DesiredInstanceCount", variant.desired_instance_count)
    now = registry.clock.now()
    endpoint.become("Updating", now)

    def finish(when: float, _: str) -> None:
        live.reach_desired()  # Instances that never serve are counted all the same: no request reaches them.
        endpoint.become("InService", when)

    once_ready(registry, now + registry.durations.updating, lambda: future_state(registry, endpoint, live), finish)
    return {"EndpointArn": endpoint.arn}


def delete_endpoint(registry: Registry, request: Request) -> Response:
    """Begin to delete an endpoint that has no inference components left."""
    endpoint = registry.find(Endpoint, request["EndpointName"], registry.endpoints)
    if endpoint.status in _IN_PROGRESS:
        raise in_progress("endpoint", endpoint.arn, endpoint.status)
    components = sorted(each.name for each in registry.components.values() if each.endpoint is endpoint)
    if components:
        raise RefusedError(
            f'Cannot delete endpoint "{endpoint.arn}" while it has inference components: {", ".join(components)}.'
        )
    now = registry.clock.now()
    endpoint.become("Deleting", now)
    registry.agenda.add(now + registry.durations.deleting, lambda _: registry.endpoints.pop(endpoint.name))
    return {}


def describe_endpoint(registry: Registry, request: Request) -> Response:
    """An endpoint as it stands."""
    endpoint = registry.find(Endpoint, request["EndpointName"], registry.endpoints)
    described: Response = {
        **_summary(endpoint),
        "EndpointConfigName": endpoint.config.name,
        "FailureReason": endpoint.failure_reason or None,
        "LastDeploymentConfig": endpoint.last_deployment_settings or None,
        "PendingDeploymentSummary": _pending_summary(endpoint.pending) if endpoint.pending else None,
    }
    if endpoint.live is not None:
        described |= _live_summary(endpoint.live)
    return {key: value for key, value in described.items() if value is not None}


def list_endpoints(registry: Registry, request: Request) -> Response:
    """The endpoints of the account."""
    return list_page(registry.endpoints.values(), request, into="Endpoints", summary=_summary)


def _finish_once_ready(
    registry: Registry,
    due: float,
    endpoint: Endpoint,
    deployment: Deployment,
    finish: Callable[[float, str], object],
    *,
    fails: bool,
) -> None:
    """End a deployment when its instances serve; one that is to fail needs none."""
    if fails:
        registry.agenda.add(due, lambda when: finish(when, ""))
    else:
        once_ready(registry, due, lambda: future_state(registry, endpoint, deployment), finish)


def _settled(endpoint: Endpoint) -> Deployment:
    """What is in force on an endpoint that can be changed now."""
    if endpoint.status in _IN_PROGRESS:
        raise in_progress("endpoint", endpoint.arn, endpoint.status)
    if endpoint.live is None:
        # Source: botocore EndpointStatus, of Failed.
        raise RefusedError(f'Endpoint "{endpoint.arn}" is {endpoint.status}; DeleteEndpoint is all that can be done.')
    return endpoint.live


def _enter_service(endpoint: Endpoint, deployment: Deployment, when: float) -> None:
    deployment.reach_desired()
    endpoint.live, endpoint.pending, endpoint.config = deployment, None, deployment.config
    endpoint.last_deployment_settings = deployment.settings
    endpoint.become("InService", when)


def _wanted(live: Deployment, changes: Sequence[Mapping[str, Any]]) -> list[tuple[Variant, Mapping[str, Any]]]:
    """The variants that a request names, each with what it wants of them."""
    names = [change["VariantName"] for change in changes]
    found = []
    for name, change in zip(names, changes, strict=True):
        if names.count(name) > 1:
            raise RefusedError(f'The variant name "{name}" was non-unique within the request.')
        variant = live.variant(name)
        if variant is None:
            raise RefusedError(
                f'The variant name(s) "{name}" is/are not present within endpoint configuration "{live.config.name}".'
            )
        found.append((variant, change))
    return found


def _check_components_fit(registry: Registry, endpoint: Endpoint, deployment: Deployment) -> None:
    for component in registry.components.values():
        if component.endpoint is not endpoint:
            continue
        variant = deployment.variant(component.variant_name)
        if variant is None or variant.model is not None:
            raise RefusedError(
                f'Inference component "{component.arn}" runs on variant {component.variant_name}, which endpoint '
                f"configuration {deployment.config.name} does not offer without a model. Delete the component first."
            )


def _live_summary(live: Deployment) -> dict[str, Any]:
    settings = live.config.request
    return {
        "ProductionVariants": [variant.summary() for variant in live.variants],
        "ShadowProductionVariants": [variant.summary() for variant in live.shadow_variants] or None,
        "DataCaptureConfig": _capture_summary(settings.get("DataCaptureConfig")),
        **{
            key: settings.get(key)
            for key in ("AsyncInferenceConfig", "ExplainerConfig", "MetricsConfig", "CrossRegionTrafficConfig")
        },
    }


def _pending_summary(pending: Deployment) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "EndpointConfigName": pending.config.name,
        "ProductionVariants": [variant.pending_summary() for variant in pending.variants],
        "StartTime": moment(pending.started),
    }
    if pending.shadow_variants:
        summary["ShadowProductionVariants"] = [variant.pending_summary() for variant in pending.shadow_variants]
    return summary


def _capture_summary(capture: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if capture is None:
        return None
    enabled = capture.get("EnableCapture", False)
    return {
        "EnableCapture": enabled,
        "CaptureStatus": "Started" if enabled else "Stopped",
        "CurrentSamplingPercentage": capture["InitialSamplingPercentage"],
        "DestinationS3Uri": capture["DestinationS3Uri"],
        "KmsKeyId": capture.get("KmsKeyId", ""),
    }


def _summary(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "EndpointName": endpoint.name,
        "EndpointArn": endpoint.arn,
        "EndpointStatus": endpoint.status,
        "CreationTime": moment(endpoint.creation_time),
        "LastModifiedTime": moment(endpoint.last_modified_time),
    }
