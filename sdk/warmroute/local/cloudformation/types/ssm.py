"""Systems Manager: parameters of its store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.types.base import ResourceType
from warmroute.local.control.bootstrap import VERSION_PARAMETER

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Parameter(ResourceType):
    """A parameter of Systems Manager's store."""

    name = "AWS::SSM::Parameter"
    name_property = "Name"
    name_limit = 512

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Store the parameter; the seeded version of the CDK's bootstrap is taken over."""
        seeded = properties["Name"] == VERSION_PARAMETER
        api.call("ssm", "PutParameter", **self._request(properties), Overwrite=seeded)
        resource.physical_id = properties["Name"]
        self._retag(api, resource, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Store another value."""
        wanted = self._request({**properties, "Name": resource.physical_id})
        api.call("ssm", "PutParameter", **wanted, Overwrite=True)
        self._retag(api, resource, properties, before)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Forget the parameter."""
        api.remove("ssm", "DeleteParameter", Name=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its type and its value."""
        return {key: resource.properties.get(key) for key in ("Type", "Value")}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a parameter."""
        found = api.find("ssm", "GetParameter", Name=resource.physical_id)
        return dict(resource.properties) if found is not None else None

    def _request(self, properties: Properties) -> dict[str, Any]:
        return {key: value for key, value in properties.items() if key != "Tags"}

    def _retag(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        # The schema has these tags as a map.
        wanted, had = properties.get("Tags") or {}, before.get("Tags") or {}
        named = {"ResourceType": "Parameter", "ResourceId": resource.physical_id}
        if set(had) - set(wanted):
            api.call("ssm", "RemoveTagsFromResource", **named, TagKeys=sorted(set(had) - set(wanted)))
        if wanted:
            tags = [{"Key": key, "Value": str(value)} for key, value in wanted.items()]
            api.call("ssm", "AddTagsToResource", **named, Tags=tags)


TYPES: tuple[ResourceType, ...] = (Parameter(),)
