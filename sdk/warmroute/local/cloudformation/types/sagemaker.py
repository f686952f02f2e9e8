"""Models, endpoint configurations, endpoints and inference components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.types.base import ResourceType, retag

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties

_BUSY = {"Creating", "Updating", "RollingBack", "SystemUpdating", "Deleting"}


class SageMakerType(ResourceType):
    """A type of SageMaker's whose calls are all named after it and whose physical id is its ARN."""

    noun: ClassVar[str]
    """What the API calls it."""

    has_status: ClassVar[bool] = False
    """Whether it takes time to make and to change."""

    can_drift = True

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether the name is taken; some of moto's calls would overwrite what bears it."""
        named = {f"{self.noun}Name": properties[f"{self.noun}Name"]}
        return api.find("sagemaker", f"Describe{self.noun}", **named) is not None

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make it with the properties as they are: the API has the same names."""
        resource.physical_id = api.call("sagemaker", f"Create{self.noun}", **properties)[f"{self.noun}Arn"]

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change the tags; subclasses change more."""
        named = {"ResourceArn": resource.physical_id}
        retag(api, "sagemaker", named, before, properties, tag="AddTags", untag="DeleteTags")

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete it, and wait until it is gone."""
        described = self._describe(api, resource)
        if described is None:
            return True
        status = described.get(f"{self.noun}Status")
        if status != "Deleting":
            api.remove("sagemaker", f"Delete{self.noun}", **self._named(resource))
        return status is None

    def is_busy(self, api: Api, resource: StackResource) -> bool:
        """Whether a creation, an update or a deletion is under way."""
        described = (self._describe(api, resource) if self.has_status else None) or {}
        return described.get(f"{self.noun}Status") in _BUSY

    def is_settled(self, api: Api, resource: StackResource) -> bool:
        """Whether it is in service, for what has a status."""
        if not self.has_status:
            return True
        described = self._described(api, resource)
        status = described.get(f"{self.noun}Status")
        if status == "Failed":
            reason = described.get("FailureReason", "no reason given")
            raise ResourceFailedError(f'Resource handler returned message: "{self.noun} failed: {reason}"')
        return status == "InService"

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its name and its ARN, and what else SageMaker says of it."""
        described = self._described(api, resource)
        named = {f"{self.noun}Name": self._name(resource), f"{self.noun}Arn": resource.physical_id}
        return {**{key: value for key, value in described.items() if isinstance(value, (str, dict))}, **named}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What SageMaker says of it."""
        described = self._describe(api, resource)
        if described is not None and "Tags" in resource.properties:
            listed = api.call("sagemaker", "ListTags", ResourceArn=resource.physical_id)["Tags"]
            own = [tag for tag in resource.properties["Tags"] if tag in listed]
            described["Tags"] = [*own, *(tag for tag in listed if tag not in own)]
        return described

    def _describe(self, api: Api, resource: StackResource) -> dict[str, Any] | None:
        return api.find("sagemaker", f"Describe{self.noun}", **self._named(resource))

    def _described(self, api: Api, resource: StackResource) -> dict[str, Any]:
        return api.call("sagemaker", f"Describe{self.noun}", **self._named(resource))

    def _named(self, resource: StackResource) -> dict[str, str]:
        return {f"{self.noun}Name": self._name(resource)}

    def _name(self, resource: StackResource) -> str:
        return resource.physical_id.rpartition("/")[2]


class Model(SageMakerType):
    """A model."""

    name = "AWS::SageMaker::Model"
    noun = "Model"
    name_property = "ModelName"
    attribute_names = ("ModelName",)

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make it; variables of the environment are words, whatever the template has."""
        containers = [properties.get("PrimaryContainer"), *properties.get("Containers", ())]
        for container in filter(None, containers):
            if "Environment" in container:
                container["Environment"] = {name: _word(value) for name, value in container["Environment"].items()}
        super().create(api, resource, properties)


class EndpointConfig(SageMakerType):
    """An endpoint configuration."""

    name = "AWS::SageMaker::EndpointConfig"
    noun = "EndpointConfig"
    name_property = "EndpointConfigName"
    attribute_names = ("EndpointConfigName",)


class Endpoint(SageMakerType):
    """An endpoint, which an update moves to another configuration without replacing it."""

    name = "AWS::SageMaker::Endpoint"
    noun = "Endpoint"
    has_status = True
    name_property = "EndpointName"
    attribute_names = ("EndpointName",)

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Begin to create it."""
        wanted = {key: value for key, value in properties.items() if key not in _OF_UPDATES}
        super().create(api, resource, wanted)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Begin to move it to its configuration, unless it is there."""
        super().update(api, resource, properties, before)
        described = self._described(api, resource)
        if described["EndpointConfigName"] != properties["EndpointConfigName"]:
            wanted = {key: properties[key] for key in (*_OF_UPDATES, "DeploymentConfig") if key in properties}
            config = properties["EndpointConfigName"]
            named = self._named(resource)
            api.call("sagemaker", "UpdateEndpoint", **named, EndpointConfigName=config, **wanted)

    def is_settled(self, api: Api, resource: StackResource) -> bool:
        """Whether it is in service, with the configuration that was wanted."""
        described = self._described(api, resource)
        wanted = resource.properties["EndpointConfigName"]
        if described["EndpointStatus"] in {"InService", "RollingBack"} and described["EndpointConfigName"] != wanted:
            reason = described.get("FailureReason", "it went back to its configuration")
            raise ResourceFailedError(f'Resource handler returned message: "Endpoint update failed: {reason}"')
        return super().is_settled(api, resource)


class InferenceComponent(SageMakerType):
    """An inference component, or an adapter."""

    name = "AWS::SageMaker::InferenceComponent"
    noun = "InferenceComponent"
    has_status = True
    name_property = "InferenceComponentName"
    attribute_names = ("InferenceComponentName",)

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Begin to create it; how updates go is no part of that."""
        super().create(api, resource, {key: value for key, value in properties.items() if key in _OF_COMPONENTS})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Begin to give it another specification or other copies."""
        fixed = [key for key in ("EndpointName", "VariantName") if before.get(key) != properties.get(key)]
        if fixed:
            raise ResourceFailedError(f"{' and '.join(fixed)} of an inference component cannot be updated.")
        super().update(api, resource, properties, before)
        changing = ("Specification", "Specifications", "RuntimeConfig", "DeploymentConfig")
        wanted = {key: properties.get(key) for key in changing if before.get(key) != properties.get(key)}
        if wanted:
            api.call("sagemaker", "UpdateInferenceComponent", **self._named(resource), **wanted)

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What SageMaker says of it, in the template's words."""
        described = super().read(api, resource)
        if described is not None:
            runtime = described.get("RuntimeConfig", {})
            described["RuntimeConfig"] = {"CopyCount": runtime.get("DesiredCopyCount")}
            for specification in [described.get("Specification"), *described.get("Specifications", ())]:
                container = (specification or {}).get("Container", {})
                deployed = container.pop("DeployedImage", {})
                if "SpecifiedImage" in deployed:
                    container["Image"] = deployed["SpecifiedImage"]
        return described


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_OF_UPDATES = ("RetainAllVariantProperties", "ExcludeRetainedVariantProperties", "RetainDeploymentConfig")

_OF_COMPONENTS = (
    "InferenceComponentName",
    "EndpointName",
    "VariantName",
    "Specification",
    "Specifications",
    "RuntimeConfig",
    "Tags",
)

TYPES: tuple[ResourceType, ...] = (Model(), EndpointConfig(), Endpoint(), InferenceComponent())
