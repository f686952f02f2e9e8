"""ECR: repositories of container images."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.local.cloudformation.types.base import ResourceType, document, tag_changes, tags_of

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Repository(ResourceType):
    """A repository of container images."""

    name = "AWS::ECR::Repository"
    name_property = "RepositoryName"
    name_limit = 256
    name_is_lower = True
    _settings: ClassVar[dict[str, str]] = {
        "ImageTagMutability": "imageTagMutability",
        "ImageScanningConfiguration": "imageScanningConfiguration",
    }

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the repository."""
        name = properties["RepositoryName"]
        settings = {api_name: properties.get(key) for key, api_name in self._settings.items()}
        scanning = settings["imageScanningConfiguration"]
        settings["imageScanningConfiguration"] = {"scanOnPush": scanning["ScanOnPush"]} if scanning else None
        api.call("ecr", "CreateRepository", repositoryName=name, tags=tags_of(properties), **settings)
        resource.physical_id = name
        self._set_policies(api, name, properties)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change its policies, its own tags, and whether those of images can move."""
        name = resource.physical_id
        mutability = properties.get("ImageTagMutability", "MUTABLE")
        api.call("ecr", "PutImageTagMutability", repositoryName=name, imageTagMutability=mutability)
        self._set_policies(api, name, properties)
        added, removed = tag_changes(before, properties)
        named = {"resourceArn": resource.attributes["Arn"]}
        if removed:
            api.call("ecr", "UntagResource", **named, tagKeys=removed)
        if added:
            api.call("ecr", "TagResource", **named, tags=added)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the repository, with its images where the template says so."""
        force = resource.properties.get("EmptyOnDelete", False)
        api.remove("ecr", "DeleteRepository", repositoryName=resource.physical_id, force=force)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its address."""
        found = api.call("ecr", "DescribeRepositories", repositoryNames=[resource.physical_id])["repositories"][0]
        return {"Arn": found["repositoryArn"], "RepositoryUri": found["repositoryUri"]}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a repository."""
        found = api.find("ecr", "DescribeRepositories", repositoryNames=[resource.physical_id])
        return dict(resource.properties) if found is not None else None

    def _set_policies(self, api: Api, name: str, properties: Properties) -> None:
        if "RepositoryPolicyText" in properties:
            text = document(properties["RepositoryPolicyText"])
            api.call("ecr", "SetRepositoryPolicy", repositoryName=name, policyText=text)
        if "LifecyclePolicy" in properties:
            text = properties["LifecyclePolicy"].get("LifecyclePolicyText")
            api.call("ecr", "PutLifecyclePolicy", repositoryName=name, lifecyclePolicyText=text)


TYPES: tuple[ResourceType, ...] = (Repository(),)
