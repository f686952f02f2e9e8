"""KMS: keys and their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.types.base import ResourceType, document, tag_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Key(ResourceType):
    """A key of the key management service."""

    name = "AWS::KMS::Key"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the key."""
        made = api.call(
            "kms",
            "CreateKey",
            **{key: properties.get(key) for key in ("Description", "KeySpec", "KeyUsage", "MultiRegion")},
            Policy=document(properties["KeyPolicy"]) if "KeyPolicy" in properties else None,
            Tags=_tags(properties.get("Tags", ())) or None,
        )
        resource.physical_id = made["KeyMetadata"]["KeyId"]
        self._rotate(api, resource.physical_id, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change its policy, description, rotation and tags."""
        key_id = resource.physical_id
        if "KeyPolicy" in properties:
            policy = document(properties["KeyPolicy"])
            api.call("kms", "PutKeyPolicy", KeyId=key_id, PolicyName="default", Policy=policy)
        description = properties.get("Description", "")
        api.call("kms", "UpdateKeyDescription", KeyId=key_id, Description=description)
        self._rotate(api, key_id, properties, before)
        added, removed = tag_changes(before, properties)
        if removed:
            api.call("kms", "UntagResource", KeyId=key_id, TagKeys=removed)
        if added:
            api.call("kms", "TagResource", KeyId=key_id, Tags=_tags(added))

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Schedule its deletion, as CloudFormation does."""
        key_id = resource.physical_id
        found = api.find("kms", "DescribeKey", KeyId=key_id)
        if found is not None and found["KeyMetadata"]["KeyState"] != "PendingDeletion":
            days = resource.properties.get("PendingWindowInDays")
            api.remove("kms", "ScheduleKeyDeletion", KeyId=key_id, PendingWindowInDays=days)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its id."""
        arn = api.call("kms", "DescribeKey", KeyId=resource.physical_id)["KeyMetadata"]["Arn"]
        return {"Arn": arn, "KeyId": resource.physical_id}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a key."""
        return dict(resource.properties) if _has_key(api, resource.physical_id) else None

    def _rotate(self, api: Api, key_id: str, properties: Properties, before: Properties) -> None:
        wanted = properties.get("EnableKeyRotation", False)
        if wanted != before.get("EnableKeyRotation", False):
            api.call("kms", f"{'Enable' if wanted else 'Disable'}KeyRotation", KeyId=key_id)


class Alias(ResourceType):
    """A name of a key."""

    name = "AWS::KMS::Alias"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Name the key."""
        api.call("kms", "CreateAlias", **_alias(properties))
        resource.physical_id = properties["AliasName"]

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Let it name another key."""
        api.call("kms", "UpdateAlias", **_alias(properties))

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Forget the name."""
        api.remove("kms", "DeleteAlias", AliasName=resource.physical_id)
        return True

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if a key has the name."""
        return dict(resource.properties) if _has_key(api, resource.physical_id) else None


def _has_key(api: Api, id_or_alias: str) -> bool:
    return api.find("kms", "DescribeKey", KeyId=id_or_alias) is not None


def _tags(tags: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in tags]


def _alias(properties: Properties) -> dict[str, Any]:
    return {"AliasName": properties["AliasName"], "TargetKeyId": properties["TargetKeyId"]}


TYPES: tuple[ResourceType, ...] = (Key(), Alias())
