"""Where the requests of an arm go, and how its endpoint is looked at."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.aws import Aws, region_of
from warmroute.errors import WarmrouteError
from warmroute.measure.experiment import EndpointState
from warmroute.measure.replay import NativeTarget, SageMakerOpenAITarget

if TYPE_CHECKING:
    from warmroute.measure.replay import Target


class Api(StrEnum):
    """The API that requests are sent by."""

    NATIVE = "native"
    """InvokeEndpointWithResponseStream."""

    OPENAI = "openai"
    """SageMaker's OpenAI-compatible API, which takes chats alone."""


def target_of(
    api: Api, session: Any, endpoint: str, *, variant: str = "", component: str | None = None, url: str | None = None
) -> Target:
    """Where to send requests.

    Args:
        api: By which API.
        session: The boto3 session.
        endpoint: Name of the endpoint.
        variant: The variant to address; empty for SageMaker's choice by weight.
        component: The inference component, on an endpoint that has such.
        url: Root of the runtime API, instead of the session's.

    Raises:
        WarmrouteError: The API cannot address a variant; a name is malformed; no region is known.
    """
    if api is Api.NATIVE:
        return NativeTarget(
            session, endpoint, target_variant=variant or None, inference_component=component, endpoint_url=url
        )
    if variant:
        raise WarmrouteError("The OpenAI-compatible API takes no target variant.", "Use --target native.")
    return SageMakerOpenAITarget(session, endpoint, inference_component=component, endpoint_url=url)


class ControlPlane:
    """What SageMaker says of one endpoint.

    Args:
        session: The boto3 session.
        endpoint: Name of the endpoint.

    Raises:
        DeploymentError: No region is known.
    """

    def __init__(self, session: Any, endpoint: str) -> None:
        self._aws = Aws(session, region_of(None, session))
        self._endpoint = endpoint

    def look(self) -> EndpointState:
        """The endpoint and its configuration.

        Raises:
            WarmrouteError: It is not there, does not serve, or cannot be asked.
        """
        found = self._describe()
        config = self._aws.call("sagemaker", "describe_endpoint_config", EndpointConfigName=found["EndpointConfigName"])
        return EndpointState(found["EndpointArn"], config["EndpointConfigArn"])

    def instances(self, variant: str = "") -> int | None:
        """Instances that serve now; None where variants have none.

        Args:
            variant: Of this variant alone; empty for all.

        Raises:
            WarmrouteError: There is no such endpoint or variant, or it cannot be asked.
        """
        variants = {each["VariantName"]: each for each in self._describe().get("ProductionVariants", [])}
        if variant and variant not in variants:
            raise WarmrouteError(
                f"Endpoint {self._endpoint} has no variant {variant}.", f"Its variants: {', '.join(variants)}."
            )
        chosen = [variants[variant]] if variant else list(variants.values())
        return sum(each.get("CurrentInstanceCount", 0) for each in chosen) or None

    def _describe(self) -> dict[str, Any]:
        found = self._aws.describe("describe_endpoint", EndpointName=self._endpoint)
        if found is None:
            raise WarmrouteError(
                f"There is no endpoint {self._endpoint} in {self._aws.region}.", "Check the name and the region."
            )
        status = found["EndpointStatus"]
        if status != "InService":
            raise WarmrouteError(
                f"Endpoint {self._endpoint} is {status}.", "Wait until it is InService, then give the command again."
            )
        return found
