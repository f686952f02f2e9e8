"""An endpoint configuration put to work: variants with instances and weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warmroute.local.control.models import Model
from warmroute.local.control.registry import next_serial

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.local.control.endpoint_configs import EndpointConfig
    from warmroute.local.control.registry import Registry

_ECHOED = ("ManagedInstanceScaling", "RoutingConfig", "CapacityReservationConfig", "AcceleratorPartitionLayouts")
"""Settings that DescribeEndpoint repeats. Source: botocore ``ProductionVariantSummary``."""


@dataclass(eq=False)
class Variant:
    """One variant at work: its settings, and what it has and shall have of instances and weight."""

    settings: Mapping[str, Any]
    model: Model | None
    """What its instances run; none where inference components run there."""

    desired_instance_count: int
    desired_weight: float
    serverless: Mapping[str, Any] | None
    current_instance_count: int = 0
    current_weight: float = 0.0

    @property
    def name(self) -> str:
        """VariantName."""
        name: str = self.settings["VariantName"]
        return name

    @property
    def pools(self) -> list[dict[str, Any]]:
        """Instance pools, the preferred one first."""
        return sorted(self.settings.get("InstancePools", ()), key=lambda pool: pool["Priority"])

    def reach_desired(self) -> None:
        """The instances have started or stopped, and the weight holds."""
        self.current_instance_count = self.desired_instance_count
        self.current_weight = self.desired_weight

    def summary(self) -> dict[str, Any]:
        """The variant as DescribeEndpoint shows it."""
        summary: dict[str, Any] = {
            "VariantName": self.name,
            "CurrentWeight": self.current_weight,
            "DesiredWeight": self.desired_weight,
            **{key: self.settings[key] for key in _ECHOED if key in self.settings},
        }
        if self.model is not None and "Image" in self.model.container:
            image = self.model.container["Image"]
            summary["DeployedImages"] = [{"SpecifiedImage": image, "ResolvedImage": image}]
        if self.serverless is not None:
            return summary | {"CurrentServerlessConfig": self.serverless, "DesiredServerlessConfig": self.serverless}
        summary["CurrentInstanceCount"] = self.current_instance_count
        summary["DesiredInstanceCount"] = self.desired_instance_count
        if self.pools:
            counts = [self.current_instance_count] + [0] * (len(self.pools) - 1)
            summary["InstancePools"] = [
                {"InstanceType": pool["InstanceType"], "CurrentInstanceCount": count}
                for pool, count in zip(self.pools, counts, strict=True)
            ]
        return summary

    def pending_summary(self) -> dict[str, Any]:
        """The variant as it appears while its deployment is under way."""
        instance_type = self.settings.get("InstanceType")
        return self.summary() | ({"InstanceType": instance_type} if instance_type else {})


@dataclass(eq=False)
class Deployment:
    """A configuration on its way to being in force, or in force."""

    config: EndpointConfig
    variants: list[Variant]
    shadow_variants: list[Variant]
    started: float
    """Seconds of the clock."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """DeploymentConfig: how traffic moves over; empty for all at once."""

    serial: int = field(default_factory=next_serial)
    """Tells it from every other deployment, of the same configuration too: each starts new instances."""

    @classmethod
    def of(cls, registry: Registry, config: EndpointConfig, settings: Mapping[str, Any] | None) -> Deployment:
        """A deployment that begins now.

        Raises:
            RefusedError: A model of the configuration is gone.
        """
        return cls(
            config,
            _variants(registry, config.request["ProductionVariants"]),
            _variants(registry, config.request.get("ShadowProductionVariants", ())),
            registry.clock.now(),
            settings or {},
        )

    def variant(self, name: str) -> Variant | None:
        """The production variant of a name."""
        return next((variant for variant in self.variants if variant.name == name), None)

    def retain(self, live: Deployment, *, excluded: Iterable[str]) -> None:
        """Keep the counts and weights that the variants have now, where both configurations name the variant.

        Args:
            live: What is in force.
            excluded: Properties to take from the new configuration: DesiredInstanceCount, DesiredWeight.
        """
        for variant in self.variants:
            before = live.variant(variant.name)
            if before is None:
                continue
            if "DesiredInstanceCount" not in excluded:
                variant.desired_instance_count = before.desired_instance_count
            if "DesiredWeight" not in excluded:
                variant.desired_weight = before.desired_weight

    def reach_desired(self) -> None:
        """Every variant has what it shall have."""
        for variant in (*self.variants, *self.shadow_variants):
            variant.reach_desired()


def _variants(registry: Registry, settings: Iterable[Mapping[str, Any]]) -> list[Variant]:
    return [_variant(registry, each) for each in settings]


def _variant(registry: Registry, settings: Mapping[str, Any]) -> Variant:
    model_name = settings.get("ModelName")
    serverless = settings.get("ServerlessConfig")
    scaling = settings.get("ManagedInstanceScaling", {})
    return Variant(
        settings,
        registry.find(Model, model_name, registry.models) if model_name else None,
        0 if serverless else settings.get("InitialInstanceCount", scaling.get("MinInstanceCount", 1)),
        settings.get("InitialVariantWeight", 1.0),
        serverless,
    )
