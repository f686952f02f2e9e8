"""Inference components: models and adapters that share the instances of a variant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.local.control.clock import moment
from warmroute.local.control.endpoints import Endpoint
from warmroute.local.control.listing import list_page
from warmroute.local.control.models import Model
from warmroute.local.control.readiness import once_ready
from warmroute.local.control.refusals import RefusedError, in_progress
from warmroute.local.control.registry import Resource, next_serial
from warmroute.local.control.snapshot import future_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from warmroute.local.control.registry import Registry, Request, Response
    from warmroute.local.control.snapshot import EndpointState

_IN_PROGRESS = {"Creating", "Updating", "Deleting"}
_HAS_INSTANCES = {"InService", "Updating", "RollingBack"}


@dataclass(eq=False)
class InferenceComponent(Resource):
    """An inference component, or an adapter on top of one."""

    kind: ClassVar[str] = "inference component"
    arn_kind: ClassVar[str] = "inference-component"

    endpoint: Endpoint
    variant_name: str
    base: InferenceComponent | None
    """The component that the adapter is loaded into; none for a component of its own."""

    specifications: Sequence[Mapping[str, Any]]
    """What each copy runs and needs, by instance type when there is more than one."""

    desired_copy_count: int
    current_copy_count: int = 0
    model: Model | None = None
    """What the copies run, where the specification names a model rather than a container."""

    status: str = "Creating"
    failure_reason: str = ""
    last_modified_time: float = 0.0
    deployment_settings: Mapping[str, Any] = field(default_factory=dict)
    serial: int = field(default_factory=next_serial)
    """Changes with what the copies run, and differs from that of every other component, of the same name too."""

    def __post_init__(self) -> None:
        self.last_modified_time = self.creation_time

    def become(self, status: str, when: float) -> None:
        """Change the status."""
        self.status, self.last_modified_time = status, when


def create_inference_component(registry: Registry, request: Request) -> Response:
    """Begin an inference component; its copies serve once the clock has passed its creation."""
    name = request["InferenceComponentName"]
    arn = registry.new_arn(InferenceComponent, name, registry.components)
    endpoint = registry.find(Endpoint, request["EndpointName"], registry.endpoints)
    specifications = _specifications(request)
    if not specifications:
        raise RefusedError("An inference component has either Specification or Specifications.")
    base = _base(registry, endpoint, specifications)
    variant_name = _variant_name(request, endpoint, base)
    component = InferenceComponent(
        name,
        arn,
        registry.clock.now(),
        list(request.get("Tags", ())),
        endpoint,
        variant_name,
        base,
        specifications,
        request.get("RuntimeConfig", {}).get("CopyCount", 1),
        model=_model(registry, specifications, base),
    )
    registry.components[name] = component
    _settle_copies(registry, component)
    return {"InferenceComponentArn": arn}


def update_inference_component(registry: Registry, request: Request) -> Response:
    """Begin to give a component another specification or number of copies; the old one serves until that is done."""
    component = _settled(registry, request)
    specifications = _specifications(request) or component.specifications
    base = _base(registry, component.endpoint, specifications)
    if base is not component.base:
        raise RefusedError(f'The base of inference component "{component.arn}" cannot change.')
    model = _model(registry, specifications, base)
    _want_copies(component, request.get("RuntimeConfig"))
    settings = request.get("DeploymentConfig")

    becomes = replace(component, specifications=specifications, model=model, status="InService")
    if specifications != component.specifications or model is not component.model:
        becomes.serial = next_serial()

    def finish() -> None:
        component.specifications, component.model, component.serial = specifications, model, becomes.serial
        if settings is not None:
            component.deployment_settings = settings

    component.become("Updating", registry.clock.now())
    _settle_copies(registry, component, finish, becomes=becomes)
    return {"InferenceComponentArn": component.arn}


def update_inference_component_runtime_config(registry: Registry, request: Request) -> Response:
    """Begin to start or stop copies of a component."""
    component = _settled(registry, request)
    _want_copies(component, request["DesiredRuntimeConfig"])
    component.become("Updating", registry.clock.now())
    _settle_copies(registry, component)
    return {"InferenceComponentArn": component.arn}


def delete_inference_component(registry: Registry, request: Request) -> Response:
    """Begin to delete a component that no adapter needs."""
    component = _settled(registry, request)
    adapters = sorted(each.name for each in registry.components.values() if each.base is component)
    if adapters:
        raise RefusedError(
            f'Cannot delete inference component "{component.arn}" while it is the base of {", ".join(adapters)}.'
        )
    now = registry.clock.now()
    component.become("Deleting", now)
    registry.agenda.add(now + registry.durations.deleting, lambda _: registry.components.pop(component.name))
    return {}


def describe_inference_component(registry: Registry, request: Request) -> Response:
    """A component as it stands."""
    component = registry.find(InferenceComponent, request["InferenceComponentName"], registry.components)
    described = _summary(component)
    shown = [_specification_summary(each) for each in component.specifications]
    if len(shown) == 1:
        described["Specification"] = shown[0]
    else:
        described["Specifications"] = shown
    if component.base is None:
        described["RuntimeConfig"] = {
            "DesiredCopyCount": component.desired_copy_count,
            "CurrentCopyCount": component.current_copy_count,
        }
    if component.failure_reason:
        described["FailureReason"] = component.failure_reason
    if component.deployment_settings:
        described["LastDeploymentConfig"] = component.deployment_settings
    return described


def list_inference_components(registry: Registry, request: Request) -> Response:
    """The components of the account, of one endpoint or of one variant."""
    found = [
        component
        for component in registry.components.values()
        if component.endpoint.name == request.get("EndpointNameEquals", component.endpoint.name)
        and component.variant_name == request.get("VariantNameEquals", component.variant_name)
    ]
    return list_page(found, request, into="InferenceComponents", summary=_summary)


def _settled(registry: Registry, request: Request) -> InferenceComponent:
    component = registry.find(InferenceComponent, request["InferenceComponentName"], registry.components)
    if component.status in _IN_PROGRESS:
        raise in_progress("inference component", component.arn, component.status)
    return component


def _specifications(request: Request) -> Sequence[Mapping[str, Any]]:
    one, several = request.get("Specification"), request.get("Specifications", ())
    if one is not None and several:
        raise RefusedError("An inference component has either Specification or Specifications.")
    if len(several) > 1 and not all(each.get("InstanceType") for each in several):
        raise RefusedError("With several Specifications, each names its InstanceType.")
    return several if one is None else [one]


def _base(
    registry: Registry, endpoint: Endpoint, specifications: Sequence[Mapping[str, Any]]
) -> InferenceComponent | None:
    """The base of an adapter; none for a component of its own, whose specification must then be complete."""
    name = specifications[0].get("BaseInferenceComponentName")
    if name is None:
        for each in specifications:
            if not each.get("ComputeResourceRequirements"):
                raise RefusedError(
                    "Without BaseInferenceComponentName a specification has ComputeResourceRequirements."
                )
            if not each.get("ModelName") and not each.get("Container", {}).get("Image"):
                raise RefusedError(
                    "Without BaseInferenceComponentName a specification has ModelName or Container.Image."
                )
        return None
    base = registry.find(InferenceComponent, name, registry.components)
    if base.endpoint is not endpoint:
        raise RefusedError(f'Base inference component "{base.arn}" is not on endpoint {endpoint.name}.')
    if base.base is not None:
        raise RefusedError(f'Inference component "{base.arn}" is an adapter itself and cannot be a base.')
    if specifications[0].get("ComputeResourceRequirements"):
        raise RefusedError("An adapter shares what its base has; leave out ComputeResourceRequirements.")
    if not specifications[0].get("Container", {}).get("ArtifactUrl"):
        raise RefusedError("An adapter needs Container.ArtifactUrl.")
    return base


def _variant_name(request: Request, endpoint: Endpoint, base: InferenceComponent | None) -> str:
    if endpoint.status not in _HAS_INSTANCES or endpoint.live is None:
        raise RefusedError(f'Endpoint "{endpoint.arn}" is {endpoint.status}; components need an endpoint in service.')
    name: str | None = request.get("VariantName")
    if base is not None:
        if name not in {None, base.variant_name}:
            raise RefusedError(f"An adapter runs on the variant of its base, {base.variant_name}, not on {name}.")
        return base.variant_name
    if name is None:
        raise RefusedError("Without BaseInferenceComponentName an inference component names its VariantName.")
    for deployment in filter(None, (endpoint.live, endpoint.pending)):
        variant = deployment.variant(name)
        where = f'endpoint "{endpoint.arn}" with endpoint configuration {deployment.config.name}'
        if variant is None:
            raise RefusedError(f'Could not find variant "{name}" of {where}.')
        if variant.model is not None:
            raise RefusedError(f'Variant "{name}" of {where} runs model {variant.model.name}.')
    return name


def _model(
    registry: Registry, specifications: Sequence[Mapping[str, Any]], base: InferenceComponent | None
) -> Model | None:
    if base is not None:
        return base.model
    found = [
        registry.find(Model, each["ModelName"], registry.models) for each in specifications if each.get("ModelName")
    ]
    return found[0] if found else None


def _want_copies(component: InferenceComponent, runtime: Mapping[str, Any] | None) -> None:
    if runtime is None:
        return
    if component.base is not None:
        raise RefusedError(f'Adapter "{component.arn}" has no copies of its own; change those of its base.')
    component.desired_copy_count = runtime["CopyCount"]


def _settle_copies(
    registry: Registry,
    component: InferenceComponent,
    finish: Callable[[], None] = lambda: None,
    *,
    becomes: InferenceComponent | None = None,
) -> None:
    """Enter the moment at which the component has the copies that it shall have.

    Args:
        registry: Where the component is.
        component: It became Creating or Updating just now.
        finish: What else happens then.
        becomes: The component as it shall be, where it shall run something else.
    """
    creating = component.status == "Creating"

    def future() -> EndpointState:
        live = component.endpoint.live
        if live is None:
            raise RefusedError(f'Endpoint "{component.endpoint.arn}" serves nothing.')
        return future_state(registry, component.endpoint, live, becomes or component)

    def settle(when: float, not_serving: str) -> None:
        if not_serving:
            component.failure_reason = not_serving
            component.desired_copy_count = component.current_copy_count
            component.become("Failed" if creating else "InService", when)
            return
        finish()
        component.current_copy_count = component.desired_copy_count
        component.become("InService", when)

    once_ready(registry, component.last_modified_time + registry.durations.component, future, settle)


def _specification_summary(specification: Mapping[str, Any]) -> dict[str, Any]:
    summary = dict(specification)
    container = dict(summary.get("Container", {}))
    image = container.pop("Image", None)
    if image is not None:
        container["DeployedImage"] = {"SpecifiedImage": image, "ResolvedImage": image}
    if container:
        summary["Container"] = container
    return summary


def _summary(component: InferenceComponent) -> dict[str, Any]:
    return {
        "InferenceComponentName": component.name,
        "InferenceComponentArn": component.arn,
        "EndpointName": component.endpoint.name,
        "EndpointArn": component.endpoint.arn,
        "VariantName": component.variant_name,
        "InferenceComponentStatus": component.status,
        "CreationTime": moment(component.creation_time),
        "LastModifiedTime": moment(component.last_modified_time),
    }
