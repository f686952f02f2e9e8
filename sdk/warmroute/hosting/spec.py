"""The one document: an endpoint with everything that belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AliasChoices, Discriminator, Field, PrivateAttr, Tag, model_validator

from warmroute.errors import InvalidSettingsError, Severity
from warmroute.hosting.async_inference import AsyncInferenceConfig
from warmroute.hosting.checking import check
from warmroute.hosting.components import InferenceComponent
from warmroute.hosting.data_capture import DataCaptureConfig
from warmroute.hosting.described import lacks_endpoint_name, spec_values
from warmroute.hosting.explainer import ExplainerConfig
from warmroute.hosting.guardrails import DeploymentConfig
from warmroute.hosting.metrics import MetricsConfig
from warmroute.hosting.models import Model
from warmroute.hosting.network import CrossRegionTrafficConfig, VpcConfig
from warmroute.hosting.scaling import AutoScaling
from warmroute.hosting.tags import Tags
from warmroute.hosting.text import KmsKeyId, ModelName, Name, RoleArn
from warmroute.hosting.variants import ProductionVariant
from warmroute.hosting.vllm import VllmContainer
from warmroute.settings import Frozen, Many, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping


def _kind_of_model(value: Any) -> str:
    if isinstance(value, Settings):
        return type(value).__name__
    own = {"image", "source", "vllm", "Image", "Source", "Vllm"}
    return "VllmContainer" if not isinstance(value, dict) or own & value.keys() else "Model"


AnyModel = Annotated[
    Annotated[VllmContainer, Tag("VllmContainer")] | Annotated[Model, Tag("Model")], Discriminator(_kind_of_model)
]
"""A model served by vLLM in AWS's container (``source``), or of any container (``primary_container``)."""


class SilencedCheck(Settings):
    """A warning that the author of a spec has weighed."""

    id: Annotated[str, Field(pattern=r"\AWR\d{3}\Z")]
    """Id of the check, for example ``WR103``."""

    reason: Annotated[str, Field(min_length=1, max_length=1_000)]
    """Why it does not apply here, for the next reader."""


class EndpointSpec(Settings):
    """An endpoint with everything that belongs to it: models, variants, components, scaling, guardrails.

    An invalid spec cannot be built: errors raise, warnings come from ``warmroute.hosting.check``.
    """

    name: Name = Field(validation_alias=AliasChoices("EndpointName"), serialization_alias="EndpointName")
    """Name of the endpoint, and the beginning of the names of what belongs to it."""

    region: Annotated[str, Field(pattern=r"\A[a-z]{2}(-[a-z]+)+-\d\Z")] | None = None
    """AWS region; by default that of the session that deploys."""

    model: AnyModel | None = None
    """The model of every variant and component that names none."""

    models: Frozen[Annotated[dict[ModelName, AnyModel], Field(min_length=1)]] | None = None
    """Further models by the name that variants and components call them."""

    variants: Annotated[Many[ProductionVariant], Field(min_length=1, max_length=10)] = Field(
        validation_alias=AliasChoices("ProductionVariants"), serialization_alias="ProductionVariants"
    )
    """Production variants, 1 to 10."""

    shadow_variants: Annotated[Many[ProductionVariant], Field(min_length=1, max_length=10)] | None = Field(
        default=None,
        validation_alias=AliasChoices("ShadowProductionVariants"),
        serialization_alias="ShadowProductionVariants",
    )
    """A variant that gets a copy of the traffic, and whose answers are dropped."""

    inference_components: Annotated[Many[InferenceComponent], Field(min_length=1)] | None = None
    """Models and adapters that share the instances of a variant."""

    auto_scaling: Annotated[Many[AutoScaling], Field(min_length=1)] | None = None
    """Scaling of variants and components."""

    deployment_config: DeploymentConfig | None = None
    """How an update reaches the serving endpoint."""

    retain_all_variant_properties: bool | None = None
    """Whether an update keeps counts and weights; by default true where something is scaled automatically."""

    execution_role_arn: RoleArn | None = None
    """Role of models and components."""

    vpc_config: VpcConfig | None = None
    """VPC of models and components."""

    enable_network_isolation: bool | None = None
    """Whether models and components have no network."""

    kms_key_id: KmsKeyId | None = None
    """Key of the storage volumes; not for instance types with local NVMe storage."""

    data_capture_config: DataCaptureConfig | None = None
    """Recording of traffic."""

    metrics_config: MetricsConfig | None = None
    """What the endpoint publishes to CloudWatch."""

    async_inference_config: AsyncInferenceConfig | None = None
    """Makes the endpoint asynchronous."""

    explainer_config: ExplainerConfig | None = None
    """Explanations of answers."""

    cross_region_traffic_config: CrossRegionTrafficConfig | None = None
    """How much traffic may go to other regions."""

    tags: Tags | None = None
    """Tags of everything that the spec makes."""

    silence: Many[SilencedCheck] | None = None
    """Warnings that do not apply, each with its reason."""

    @model_validator(mode="after")
    def _hold_every_rule(self) -> Self:
        errors = [finding for finding in check(self) if finding.severity is Severity.ERROR]
        if errors:
            raise InvalidSettingsError(errors)
        return self

    _name_is_known: bool = PrivateAttr(default=True)

    @classmethod
    def parse(cls, values: Mapping[str, Any], *, name: str = "") -> Self:
        """A spec from plain values: our own document, or what ``describe-endpoint-config`` returns.

        Args:
            values: Fields by snake_case or AWS name.
            name: What to call the values in messages, usually a file.

        Raises:
            InvalidSettingsError: With every error found.
            DocumentError: The values are those of ``describe-endpoint``.
        """
        spec = super().parse(spec_values(values), name=name)
        spec._name_is_known = not lacks_endpoint_name(values)  # noqa: SLF001 - our own class.
        return spec

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """This spec with some fields changed, held to every rule. See ``Settings.model_copy``."""
        copy = super().model_copy(update=update, deep=deep)
        copy._name_is_known = self._name_is_known or "name" in (update or {})  # noqa: SLF001 - our own class.
        return copy

    @property
    def name_is_known(self) -> bool:
        """Whether ``name`` is the endpoint's, and not that of the configuration that the spec was described by."""
        return self._name_is_known

    @property
    def all_variants(self) -> tuple[ProductionVariant, ...]:
        """Production variants, then the shadow variant."""
        return self.variants + (self.shadow_variants or ())

    @property
    def serves_components(self) -> bool:
        """Whether the variants host inference components rather than one model each."""
        named = any(variant.model_name for variant in self.all_variants)
        return bool(self.inference_components) or (self.model is None and not named)

    @property
    def retains_variant_properties(self) -> bool:
        """Whether an update keeps counts and weights: as the spec says, or where something is scaled automatically."""
        if self.retain_all_variant_properties is not None:
            return self.retain_all_variant_properties
        return bool(self.auto_scaling)

    @property
    def models_by_path(self) -> dict[str, VllmContainer | Model]:
        """The spec's own models by their paths in it."""
        first = {"model": self.model} if self.model else {}
        return first | {f"models.{name}": model for name, model in (self.models or {}).items()}

    def model_named(self, name: str | None) -> VllmContainer | Model | None:
        """The spec's own model that a variant or component means.

        Args:
            name: What it calls the model; None means ``model``.

        Returns:
            The model, or None for one that already exists in the account.
        """
        return self.model if name is None else (self.models or {}).get(name)

    def environments(self, variant: ProductionVariant) -> list[dict[str, str]]:
        """Environment variables of every container known to serve a variant's requests.

        A model that already exists in the account is not known, and gives none.
        """
        found: list[dict[str, str]] = []
        if not self.serves_components:
            found += _environments(self.model_named(variant.model_name))
        for component in self.inference_components or ():
            if component.base is None and component.variant_name in {None, variant.name}:
                for each in component.all_specifications:
                    if each.container is None:
                        found += _environments(self.model_named(each.model_name))
                    else:
                        found.append(dict(each.container.environment or {}))
        return found


def _environments(model: VllmContainer | Model | None) -> list[dict[str, str]]:
    if isinstance(model, VllmContainer):
        return [model.all_variables()]
    return [dict(container.environment or {}) for container in model.all_containers] if model else []
