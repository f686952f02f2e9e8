"""Turns a spec into AWS resources: the one place where defaults are resolved, the same for every target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.hosting.tags import as_tag_list
from warmroute.render.components import components
from warmroute.render.models import models
from warmroute.render.resource import Kind, Ref, Resource, UnsetRole
from warmroute.render.scaling import scaling
from warmroute.render.variants import variant_properties

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec

_OF_THE_CONFIGURATION = (
    "DataCaptureConfig",
    "KmsKeyId",
    "AsyncInferenceConfig",
    "ExplainerConfig",
    "MetricsConfig",
    "CrossRegionTrafficConfig",
)
_OF_CONTAINERS = ("ExecutionRoleArn", "VpcConfig", "EnableNetworkIsolation")


def resources(spec: EndpointSpec, *, region: str | None = None) -> tuple[Resource, ...]:
    """Every resource of a spec, each after those that it refers to.

    Args:
        spec: The spec.
        region: Region of the endpoint, instead of the spec's own.

    Raises:
        IncompleteSpecError: An image of AWS's is named by version, and no region is known.
        InvalidSettingsError: AWS has no such image in the region.
    """
    region = region or spec.region
    own_models = models(spec, region)
    return (
        *own_models,
        _endpoint_config(spec, region, makes_models=bool(own_models)),
        _endpoint(spec),
        *components(spec),
        *scaling(spec),
    )


def _endpoint_config(spec: EndpointSpec, region: str | None, *, makes_models: bool) -> Resource:
    given = spec.to_aws()
    if spec.serves_components:
        # Instances that host components are set up before any model is, so the configuration itself needs the role.
        given.setdefault("ExecutionRoleArn", UnsetRole())
    held = [*_OF_THE_CONFIGURATION]
    if spec.serves_components or not makes_models:
        held += _OF_CONTAINERS
    properties = {"ProductionVariants": [variant_properties(each, spec, region) for each in spec.variants]}
    if spec.shadow_variants:
        properties["ShadowProductionVariants"] = [
            variant_properties(each, spec, region) for each in spec.shadow_variants
        ]
    # False is what absence means; written out, it would make the same configuration another one.
    properties |= {name: given[name] for name in held if given.get(name, False) is not False}
    return Resource(Kind.ENDPOINT_CONFIG, {**properties, **_tags(spec)})


def _endpoint(spec: EndpointSpec) -> Resource:
    guardrails = {"DeploymentConfig": spec.deployment_config.to_aws()} if spec.deployment_config else {}
    asked = spec.retains_variant_properties or spec.retain_all_variant_properties is not None
    return Resource(
        Kind.ENDPOINT,
        {"EndpointName": spec.name, "EndpointConfigName": Ref(Kind.ENDPOINT_CONFIG), **guardrails, **_tags(spec)},
        on_update={"RetainAllVariantProperties": spec.retains_variant_properties} if asked else {},
    )


def _tags(spec: EndpointSpec) -> dict[str, list[dict[str, str]]]:
    return {"Tags": as_tag_list(spec.tags)} if spec.tags else {}
