"""The parts of an endpoint, each usable alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from warmroute.render.resource import Kind
from warmroute_cdk.part import Part

if TYPE_CHECKING:
    from aws_cdk.aws_applicationautoscaling import CfnScalableTarget, CfnScalingPolicy
    from aws_cdk.aws_sagemaker import CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel
    from constructs import Construct

    from warmroute_cdk.part import AnySpec


class Models(Part):
    """The models that a spec makes; CloudFormation names them.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = (Kind.MODEL,)

    @property
    def cfn_models(self) -> dict[str, CfnModel]:
        """The models by their names in ``models`` of the spec; its ``model`` has the empty name."""
        return cast("dict[str, CfnModel]", self.of_kind(Kind.MODEL))


class EndpointConfiguration(Part):
    """The configuration of an endpoint: variants, routing, data capture, metrics.

    SageMaker's configurations cannot be changed. This one has no name of its own, so CloudFormation makes a changed one
    beside the old one, updates the endpoint, and deletes the old one afterwards.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        models: The models of the spec. Default: the spec makes none.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = (Kind.ENDPOINT_CONFIG,)

    def __init__(self, scope: Construct, id: str, *, spec: AnySpec, models: Models | None = None) -> None:  # noqa: A002
        super().__init__(scope, id, spec=spec, beside=[models] if models else [])

    @property
    def cfn_endpoint_config(self) -> CfnEndpointConfig:
        """The configuration."""
        return cast("CfnEndpointConfig", self.of_kind(Kind.ENDPOINT_CONFIG)[""])


class Endpoint(Part):
    """The endpoint itself, with the guardrails of its updates.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        configuration: Its configuration.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = (Kind.ENDPOINT,)

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: AnySpec,
        configuration: EndpointConfiguration,
    ) -> None:
        super().__init__(scope, id, spec=spec, beside=[configuration])

    @property
    def cfn_endpoint(self) -> CfnEndpoint:
        """The endpoint."""
        return cast("CfnEndpoint", self.of_kind(Kind.ENDPOINT)[""])


class InferenceComponents(Part):
    """The inference components and adapters of a spec, adapters after the components that they are loaded into.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        endpoint: The endpoint that they run on.
        models: The models of the spec. Default: the spec makes none.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = (Kind.INFERENCE_COMPONENT,)

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: AnySpec,
        endpoint: Endpoint,
        models: Models | None = None,
    ) -> None:
        super().__init__(scope, id, spec=spec, beside=[endpoint, models] if models else [endpoint])

    @property
    def cfn_inference_components(self) -> dict[str, CfnInferenceComponent]:
        """The components by their names."""
        return cast("dict[str, CfnInferenceComponent]", self.of_kind(Kind.INFERENCE_COMPONENT))


class AutoScaling(Part):
    """Application Auto Scaling of variants and components.

    A target depends on what it scales and a policy on its target, so that both go before the endpoint does.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        endpoint: The endpoint.
        components: The components of the spec. Default: the spec has none.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = (Kind.SCALABLE_TARGET, Kind.SCALING_POLICY)

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: AnySpec,
        endpoint: Endpoint,
        components: InferenceComponents | None = None,
    ) -> None:
        super().__init__(scope, id, spec=spec, beside=[endpoint, components] if components else [endpoint])

    @property
    def cfn_scalable_targets(self) -> dict[str, CfnScalableTarget]:
        """The targets: ``variant-main``, ``component-llama``."""
        return cast("dict[str, CfnScalableTarget]", self.of_kind(Kind.SCALABLE_TARGET))

    @property
    def cfn_scaling_policies(self) -> dict[str, CfnScalingPolicy]:
        """The target-tracking policies, under the same names as their targets."""
        return cast("dict[str, CfnScalingPolicy]", self.of_kind(Kind.SCALING_POLICY))
