"""What a spec asks for, as the calls that make it, each resource found by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.deploy.ownership import with_owner
from warmroute.render import to_boto3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.hosting import EndpointSpec

Parameters = dict[str, Any]
"""The input of an API call, under AWS's names."""

ScalingKey = tuple[str, str]
"""What tells a scalable target from every other: its resource id and its dimension."""


@dataclass(frozen=True, slots=True)
class WantedScaling:
    """One scalable target, and the policy on it."""

    target: Parameters
    """Of RegisterScalableTarget."""

    policy: Parameters | None
    """Of PutScalingPolicy; None where only limits are registered."""

    @property
    def key(self) -> ScalingKey:
        """What tells it from every other."""
        return self.target["ResourceId"], self.target["ScalableDimension"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Everything that a spec asks for in one region."""

    spec: EndpointSpec
    region: str
    models: Mapping[str, Parameters]
    """Of CreateModel, by name."""

    config: Parameters
    """Of CreateEndpointConfig."""

    create: Parameters
    """Of CreateEndpoint."""

    update: Parameters
    """Of UpdateEndpoint."""

    components: Mapping[str, Parameters]
    """Of CreateInferenceComponent, by name; adapters after their bases."""

    scaling: tuple[WantedScaling, ...]

    scaled_by_others: frozenset[ScalingKey] = frozenset()
    """Scalable targets that neither the spec nor warmroute has made; what they scale is not the spec's to count."""

    @property
    def config_name(self) -> str:
        """Name of the configuration: a digest of its content."""
        return str(self.config["EndpointConfigName"])

    @property
    def tags(self) -> list[dict[str, str]]:
        """Tags of the endpoint, in AWS's form."""
        return list(self.create["Tags"])

    @property
    def hosts(self) -> frozenset[str]:
        """Variants that run components rather than a model of their own."""
        return frozenset(each["VariantName"] for each in self.config["ProductionVariants"] if not each.get("ModelName"))

    @property
    def scaled_variants(self) -> frozenset[str]:
        """Variants whose count is not the spec's to say: scaled automatically, or without instances."""
        scaled = {each.variant_name for each in self.spec.auto_scaling or () if each.variant_name}
        scaled |= self._scaled_by_others(f"endpoint/{self.spec.name}/variant/")
        for variant in self.spec.variants:
            managed = variant.managed_instance_scaling
            if variant.serverless_config or (managed and managed.status != "DISABLED"):
                scaled.add(variant.name)
        return frozenset(scaled)

    @property
    def scaled_components(self) -> frozenset[str]:
        """Components whose number of copies is scaled automatically."""
        asked = {
            each.inference_component_name for each in self.spec.auto_scaling or () if each.inference_component_name
        }
        return frozenset(asked | self._scaled_by_others("inference-component/"))

    def _scaled_by_others(self, beginning: str) -> set[str]:
        resources = {resource for resource, _ in self.scaled_by_others}
        return {each.removeprefix(beginning) for each in resources if each.startswith(beginning)}


def wanted_by(spec: EndpointSpec, region: str) -> Wanted:
    """What a spec asks for.

    Args:
        spec: The spec.
        region: AWS region of the endpoint.

    Raises:
        IncompleteSpecError: The role of a model is not known, or there are too many tags.
        InvalidSettingsError: AWS has no such image in the region.
    """
    made: dict[str, list[Parameters]] = {}
    for call in to_boto3(spec, region=region):
        parameters = call.parameters
        if call.operation != "put_scaling_policy":
            as_map = call.operation == "register_scalable_target"
            parameters = with_owner(parameters, spec.name, as_map=as_map)
        made.setdefault(call.operation, []).append(parameters)
    update = next(
        call.parameters for call in to_boto3(spec, region=region, update=True) if call.operation == "update_endpoint"
    )
    policies = {_key(policy): policy for policy in made.get("put_scaling_policy", ())}
    return Wanted(
        spec=spec,
        region=region,
        models={each["ModelName"]: each for each in made.get("create_model", ())},
        config=made["create_endpoint_config"][0],
        create=made["create_endpoint"][0],
        update=update,
        components={each["InferenceComponentName"]: each for each in made.get("create_inference_component", ())},
        scaling=tuple(
            WantedScaling(target, policies.get(_key(target))) for target in made.get("register_scalable_target", ())
        ),
    )


def _key(parameters: Parameters) -> ScalingKey:
    return parameters["ResourceId"], parameters["ScalableDimension"]
