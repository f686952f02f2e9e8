"""What SageMaker says of the endpoint of an arm: its configuration, its engine, and what serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.aws import Aws, region_of
from warmroute.errors import WarmrouteError
from warmroute.loopback import local_endpoint_of
from warmroute.measure.experiment import EndpointState, Serving
from warmroute.measure.telemetry import local_fleet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

POLL_SECONDS = 10.0
"""Between two looks at what serves: DescribeEndpoint is answered some times a second, to the whole account."""


class ControlPlane:
    """What is said of one endpoint, or of a part of it.

    Args:
        session: The boto3 session.
        endpoint: Name of the endpoint.
        variant: Of this variant alone; empty for all.
        component: The inference component that is asked, on an endpoint that has such.

    Raises:
        DeploymentError: No region is known.
    """

    def __init__(self, session: Any, endpoint: str, *, variant: str = "", component: str | None = None) -> None:
        self._aws = Aws(session, region_of(None, session))
        self._local_url = local_endpoint_of(session, self._aws.region)
        self._endpoint, self._variant, self._component = endpoint, variant, component

    def look(self) -> EndpointState:
        """The endpoint, its configuration and its engine.

        Raises:
            WarmrouteError: It is not there, does not serve, is being updated, or cannot be asked.
        """
        found = self._endpoint_in_service()
        config = self._aws.call("sagemaker", "describe_endpoint_config", EndpointConfigName=found["EndpointConfigName"])
        return EndpointState(found["EndpointArn"], config["EndpointConfigArn"], self._engine(found))

    def serving(self) -> Serving:
        """What serves now.

        Raises:
            WarmrouteError: There is no such endpoint, variant or component, or it cannot be asked.
        """
        found = self._described()
        variants = self._variants(found)
        changing = found["EndpointStatus"] != "InService" or any(
            each.get("DesiredInstanceCount", 0) != each.get("CurrentInstanceCount", 0) for each in variants
        )
        copies = self._copies()
        if copies is not None:
            return Serving(copies.count, changing=changing or copies.changing)
        return Serving(_count(variants), changing=changing)

    def instances(self) -> int | None:
        """Instances that serve now; None where variants have none.

        Raises:
            WarmrouteError: There is no such endpoint or variant, or it cannot be asked.
        """
        return _count(self._variants(self._endpoint_in_service())) or None

    def _engine(self, found: dict[str, Any]) -> str:
        """The images that were deployed, with their digests where SageMaker tells them.

        On this machine, where nobody pulls an image, what computes the answers instead.
        """
        if self._local_url:
            return ", ".join(sorted(local_fleet(self._local_url, self._endpoint, self._variant).engines))
        if self._component:
            images = self._component_images(self._component_described().get("Specification", {}))
        else:
            images = [_name(image) for each in self._variants(found) for image in each.get("DeployedImages", ())]
        return ", ".join(sorted({image for image in images if image}))

    def _component_images(self, specification: Mapping[str, Any]) -> list[str]:
        if "ModelName" not in specification:
            return [_name(specification.get("Container", {}).get("DeployedImage", {}))]
        model = self._aws.call("sagemaker", "describe_model", ModelName=specification["ModelName"])
        containers = [model.get("PrimaryContainer", {}), *model.get("Containers", ())]
        return [container.get("Image", "") for container in containers]

    def _copies(self) -> Serving | None:
        """Copies of the component; None without one, and for an adapter, which goes where its base is."""
        runtime = self._component_described().get("RuntimeConfig") if self._component else None
        if not runtime or "CurrentCopyCount" not in runtime:
            return None
        current = runtime["CurrentCopyCount"]
        return Serving(current, changing=runtime.get("DesiredCopyCount", current) != current)

    def _component_described(self) -> dict[str, Any]:
        found = self._aws.describe("describe_inference_component", InferenceComponentName=self._component)
        if found is None:
            raise WarmrouteError(
                f"There is no inference component {self._component} in {self._aws.region}.", "Check the name."
            )
        return found

    def _variants(self, found: dict[str, Any]) -> list[dict[str, Any]]:
        variants = {each["VariantName"]: each for each in found.get("ProductionVariants", [])}
        if self._variant and self._variant not in variants:
            raise WarmrouteError(
                f"Endpoint {self._endpoint} has no variant {self._variant}.", f"Its variants: {', '.join(variants)}."
            )
        return [variants[self._variant]] if self._variant else list(variants.values())

    def _endpoint_in_service(self) -> dict[str, Any]:
        """The endpoint, with nothing else about to be in force; while it only scales it serves as before."""
        found = self._described()
        status = found["EndpointStatus"]
        scales = status == "Updating" and "PendingDeploymentSummary" not in found
        if status != "InService" and not scales:
            raise WarmrouteError(
                f"Endpoint {self._endpoint} is {status}.", "Wait until it is InService, then give the command again."
            )
        return found

    def _described(self) -> dict[str, Any]:
        found = self._aws.describe("describe_endpoint", EndpointName=self._endpoint)
        if found is None:
            raise WarmrouteError(
                f"There is no endpoint {self._endpoint} in {self._aws.region}.", "Check the name and the region."
            )
        return found


def _count(variants: Iterable[dict[str, Any]]) -> int:
    return sum(each.get("CurrentInstanceCount", 0) for each in variants)


def _name(image: Mapping[str, str]) -> str:
    return image.get("ResolvedImage") or image.get("SpecifiedImage", "")
