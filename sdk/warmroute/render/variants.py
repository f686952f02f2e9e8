"""A production variant as CreateEndpointConfig takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.hosting import inference_ami_version
from warmroute.render.models import images, model_reference
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.hosting import EndpointSpec, ProductionVariant


def variant_properties(variant: ProductionVariant, spec: EndpointSpec, region: str | None) -> dict[str, Any]:
    """The properties of a variant under AWS's names.

    The routing of instances and the weight are always written, as SageMaker describes them: a reader sees RANDOM where
    nothing is configured, and a described configuration renders as the one that it was made from.

    Args:
        variant: A variant of the spec.
        spec: The spec.
        region: Region of the endpoint.
    """
    properties = _completed(variant, spec, region).to_aws()
    if "InstancePools" in properties:
        properties["InstancePools"] = [_pool(pool, spec) for pool in properties["InstancePools"]]
    if variant.model_name is None and spec.serves_components:
        return properties
    served = {"VariantName": variant.name, "ModelName": model_reference(spec, variant.model_name)}
    return {**served, **{name: value for name, value in properties.items() if name not in served}}


def _completed(variant: ProductionVariant, spec: EndpointSpec, region: str | None) -> ProductionVariant:
    weight = 1.0 if variant.initial_variant_weight is None else variant.initial_variant_weight
    if variant.serverless_config is not None:
        return variant.model_copy(update={"initial_variant_weight": weight})
    return variant.model_copy(
        update={
            "initial_variant_weight": weight,
            "routing_config": variant.routing_config or RoutingConfig.random(),
            "inference_ami_version": variant.inference_ami_version or _derived_ami_version(variant, spec, region),
        }
    )


def _pool(pool: dict[str, Any], spec: EndpointSpec) -> dict[str, Any]:
    if "ModelNameOverride" not in pool:
        return pool
    return {**pool, "ModelNameOverride": model_reference(spec, pool["ModelNameOverride"])}


def _derived_ami_version(variant: ProductionVariant, spec: EndpointSpec, region: str | None) -> str | None:
    """The AMI on which every image of the variant runs, or None where an image is not known or they disagree."""
    needed = {
        inference_ami_version(image, instance_type) if image else None
        for instance_type, image in _images_by_type(variant, spec, region)
    }
    return needed.pop() if len(needed) == 1 else None


def _images_by_type(
    variant: ProductionVariant, spec: EndpointSpec, region: str | None
) -> Iterator[tuple[str, str | None]]:
    overrides = {pool.instance_type: pool.model_name_override for pool in variant.instance_pools or ()}
    for instance_type in variant.instance_types:
        if spec.serves_components:
            served = _component_images(variant, instance_type, spec, region)
        else:
            name = overrides.get(instance_type) or variant.model_name
            served = images(spec.model_named(name), region)
        for image in served:
            yield instance_type, image


def _component_images(
    variant: ProductionVariant, instance_type: str, spec: EndpointSpec, region: str | None
) -> list[str | None]:
    found: list[str | None] = []
    for component in spec.inference_components or ():
        if component.base is not None or component.variant_name not in {None, variant.name}:
            continue
        for each in component.all_specifications:
            if each.instance_type in {None, instance_type}:
                own = each.container
                found += [own.image] if own else images(spec.model_named(each.model_name), region)
    return found
