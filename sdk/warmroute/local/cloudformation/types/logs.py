"""CloudWatch Logs: log groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.types.base import ResourceType, tag_changes

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class LogGroup(ResourceType):
    """A log group."""

    name = "AWS::Logs::LogGroup"
    name_property = "LogGroupName"
    name_limit = 512

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the group."""
        name = properties["LogGroupName"]
        tags = {tag["Key"]: tag["Value"] for tag in properties.get("Tags", ())} or None
        api.call("logs", "CreateLogGroup", logGroupName=name, kmsKeyId=properties.get("KmsKeyId"), tags=tags)
        resource.physical_id = name
        self._retain(api, name, properties)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Keep its events for longer or shorter, under other tags."""
        self._retain(api, resource.physical_id, properties)
        arn = self._arn(api, resource.physical_id)
        added, removed = tag_changes(before, properties)
        if removed:
            api.call("logs", "UntagResource", resourceArn=arn, tagKeys=removed)
        if added:
            api.call("logs", "TagResource", resourceArn=arn, tags={tag["Key"]: tag["Value"] for tag in added})

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the group."""
        api.remove("logs", "DeleteLogGroup", logGroupName=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN, which ends in an asterisk."""
        return {"Arn": f"{self._arn(api, resource.physical_id)}:*"}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a group."""
        found = api.call("logs", "DescribeLogGroups", logGroupNamePrefix=resource.physical_id)["logGroups"]
        exists = any(group["logGroupName"] == resource.physical_id for group in found)
        return dict(resource.properties) if exists else None

    def _arn(self, api: Api, name: str) -> str:
        return f"arn:{api.partition}:logs:{api.region}:{api.account}:log-group:{name}"

    def _retain(self, api: Api, name: str, properties: Properties) -> None:
        days = properties.get("RetentionInDays")
        if days is None:
            api.call("logs", "DeleteRetentionPolicy", logGroupName=name)
        else:
            api.call("logs", "PutRetentionPolicy", logGroupName=name, retentionInDays=days)


TYPES: tuple[ResourceType, ...] = (LogGroup(),)
