"""What may be done with an endpoint, whoever made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from aws_cdk import ArnFormat, Stack
from aws_cdk.aws_iam import Grant
from constructs import Construct

from warmroute_cdk.endpoint_metrics import ComponentMetrics, VariantMetrics
from warmroute_cdk.failures import ConstructError, refused_by_cdk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk.aws_iam import IGrantable

INVOKE_ACTIONS = (
    "sagemaker:InvokeEndpoint",
    "sagemaker:InvokeEndpointAsync",
    "sagemaker:InvokeEndpointWithResponseStream",
)
"""Actions that send requests. Source: Service Authorization Reference, Amazon SageMaker."""

BEARER_ACTION = "sagemaker:CallWithBearerToken"
"""Action of bearer tokens, which no resource limits. Source: SageMaker guide, OpenAI-compatible APIs."""


@runtime_checkable
class IVllmEndpoint(Protocol):
    """An endpoint of this app, or one that exists."""

    @property
    def endpoint_name(self) -> str:
        """Name of the endpoint, for InvokeEndpoint."""

    @property
    def endpoint_arn(self) -> str:
        """ARN of the endpoint, for policies."""

    def grant_invoke(self, grantee: IGrantable, *, openai: bool = False) -> Grant:
        """Let someone send requests."""


class EndpointAccess(Construct):
    """An endpoint that permissions can be given for."""

    @property
    def endpoint_name(self) -> str:
        """Name of the endpoint, for InvokeEndpoint."""
        raise NotImplementedError

    @property
    def endpoint_arn(self) -> str:
        """ARN of the endpoint, for policies."""
        raise NotImplementedError

    @property
    def component_names(self) -> Sequence[str]:
        """Names of the inference components that requests may ask for, as far as they are known."""
        return ()

    def variant(self, name: str) -> VariantMetrics:
        """The CloudWatch metrics of a variant: ``endpoint.variant("main").metric_model_latency("p99")``.

        Args:
            name: Name of the variant.

        Raises:
            ConstructError: The spec of the endpoint has no such variant.
        """
        self._refuse_unknown("variant", name)
        return VariantMetrics(self.endpoint_name, name)

    def component(self, name: str) -> ComponentMetrics:
        """The CloudWatch metrics of an inference component or adapter.

        Args:
            name: Name of the component.

        Raises:
            ConstructError: The spec of the endpoint has no such component.
        """
        self._refuse_unknown("component", name)
        return ComponentMetrics(name)

    def grant_invoke(self, grantee: IGrantable, *, openai: bool = False) -> Grant:
        """Let someone send requests, streaming and asynchronous ones too.

        Args:
            grantee: Who.
            openai: Whether also through the OpenAI-compatible API. That takes ``sagemaker:CallWithBearerToken``, which
                IAM allows on ``*`` only; what a token may invoke is still this endpoint alone.

        Returns:
            The grant.
        """
        invoke = self.grant(grantee, *INVOKE_ACTIONS)
        if not openai:
            return invoke
        token = Grant.add_to_principal(grantee=grantee, actions=[BEARER_ACTION], resource_arns=["*"])
        return invoke.combine(token)

    def grant_describe(self, grantee: IGrantable) -> Grant:
        """Let someone read what state the endpoint is in, as health checks and dashboards do.

        Args:
            grantee: Who.
        """
        return self.grant(grantee, "sagemaker:DescribeEndpoint", "sagemaker:DescribeInferenceComponent")

    def grant_update_weights_and_capacities(self, grantee: IGrantable) -> Grant:
        """Let someone shift traffic between variants and set instance counts, without a deployment.

        Args:
            grantee: Who.
        """
        return self.grant(grantee, "sagemaker:UpdateEndpointWeightsAndCapacities", "sagemaker:DescribeEndpoint")

    def grant(self, grantee: IGrantable, *actions: str) -> Grant:
        """Let someone do something with the endpoint and its components.

        Args:
            grantee: Who.
            actions: IAM actions.

        Raises:
            ConstructError: Nobody is named, or nothing is allowed.
        """
        path = self.node.path
        if not hasattr(grantee, "grant_principal"):
            raise ConstructError(
                f"{path}: a grant is to a role, a user or a function, not to {type(grantee).__name__}.",
                "Role.from_role_arn makes one of an ARN.",
            )
        if not actions:
            raise ConstructError(f"{path}: a grant without actions allows nothing.", "Name IAM actions.")
        components = [component_arn(self, name) for name in self.component_names]
        arns = [self.endpoint_arn, *components]
        with refused_by_cdk(path):
            return Grant.add_to_principal(grantee=grantee, actions=list(actions), resource_arns=arns)

    def _refuse_unknown(self, what: str, name: str) -> None:
        """Refuse a variant or component that the endpoint does not have, as far as that is known."""


def endpoint_arn(scope: Construct, name: str) -> str:
    """ARN of an endpoint in the account and region of a stack.

    Args:
        scope: Construct of the stack.
        name: Name of the endpoint.
    """
    return _arn(scope, "endpoint", name)


def component_arn(scope: Construct, name: str) -> str:
    """ARN of an inference component in the account and region of a stack.

    Args:
        scope: Construct of the stack.
        name: Name of the component.
    """
    return _arn(scope, "inference-component", name)


def _arn(scope: Construct, resource: str, name: str) -> str:
    return Stack.of(scope).format_arn(service="sagemaker", resource=resource, resource_name=name)


def endpoint_name_in(scope: Construct, arn: str) -> str:
    """Name of the endpoint in an ARN, which may be a token.

    Args:
        scope: Construct of the stack.
        arn: The ARN.
    """
    name = Stack.of(scope).split_arn(arn, ArnFormat.SLASH_RESOURCE_NAME).resource_name
    return name or ""
