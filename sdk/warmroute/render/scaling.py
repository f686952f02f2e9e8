"""Application Auto Scaling of variants and components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.hosting.tags import as_tag_list
from warmroute.render.resource import Joined, Kind, Ref, Resource

if TYPE_CHECKING:
    from warmroute.hosting import AutoScaling, EndpointSpec


def scaling(spec: EndpointSpec) -> list[Resource]:
    """A scalable target for each scaling of a spec, followed by its target-tracking policy.

    Args:
        spec: The spec.
    """
    return [resource for each in spec.auto_scaling or () for resource in _scaling(each, spec)]


def _scaling(each: AutoScaling, spec: EndpointSpec) -> list[Resource]:
    what = "component" if each.inference_component_name else "variant"
    name = each.inference_component_name or each.variant_name or ""
    label = f"{what}-{name}"
    identity = {"ServiceNamespace": "sagemaker", **_scaled(each, spec)}
    limits = {"MinCapacity": each.min_capacity, "MaxCapacity": each.max_capacity}
    tags = {"Tags": as_tag_list(spec.tags)} if spec.tags else {}
    target = Resource(Kind.SCALABLE_TARGET, {**identity, **limits, **tags}, label)
    if each.target_tracking is None:
        return [target]
    policy = {
        "PolicyName": f"{spec.name}-{name}-target-tracking",
        **identity,
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": _target_tracking(each),
    }
    return [target, Resource(Kind.SCALING_POLICY, policy, label, after=(target.ref,))]


def _scaled(each: AutoScaling, spec: EndpointSpec) -> dict[str, Any]:
    if each.inference_component_name:
        component = Ref(Kind.INFERENCE_COMPONENT, each.inference_component_name)
        return {
            "ResourceId": Joined(("inference-component/", component)),
            "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
        }
    serverless = any(variant.name == each.variant_name and variant.serverless_config for variant in spec.variants)
    counted = "DesiredProvisionedConcurrency" if serverless else "DesiredInstanceCount"
    return {
        "ResourceId": Joined(("endpoint/", Ref(Kind.ENDPOINT), f"/variant/{each.variant_name}")),
        "ScalableDimension": f"sagemaker:variant:{counted}",
    }


def _target_tracking(each: AutoScaling) -> dict[str, Any]:
    given = each.target_tracking.to_aws() if each.target_tracking else {}
    given.pop("PredefinedMetricType", None)
    return {**given, "PredefinedMetricSpecification": {"PredefinedMetricType": each.metric}}
