"""What an endpoint's operators use: topics, log groups, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.types.base import ResourceType, tag_changes, tags_of
from warmroute.local.cloudformation.types.iam import document

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Topic(ResourceType):
    """A topic, with the subscriptions that it is made with."""

    name = "AWS::SNS::Topic"
    name_property = "TopicName"
    name_limit = 256

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether there is a topic of the name, which creating it again would give."""
        arn = f"arn:{api.partition}:sns:{api.region}:{api.account}:{properties['TopicName']}"
        return api.find("sns", "GetTopicAttributes", TopicArn=arn) is not None

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the topic."""
        made = api.call("sns", "CreateTopic", Name=properties["TopicName"], Tags=tags_of(properties))
        resource.physical_id = made["TopicArn"]
        self._apply(api, resource.physical_id, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change its attributes, subscriptions and tags."""
        self._apply(api, resource.physical_id, properties, before)
        added, removed = tag_changes(before, properties)
        if removed:
            api.call("sns", "UntagResource", ResourceArn=resource.physical_id, TagKeys=removed)
        if added:
            api.call("sns", "TagResource", ResourceArn=resource.physical_id, Tags=added)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the topic."""
        api.remove("sns", "DeleteTopic", TopicArn=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its name."""
        return {"TopicArn": resource.physical_id, "TopicName": resource.physical_id.rpartition(":")[2]}

    def _apply(self, api: Api, arn: str, properties: Properties, before: Properties) -> None:
        for name in ("DisplayName", "KmsMasterKeyId"):
            if properties.get(name) != before.get(name):
                value = properties.get(name, "")
                api.call("sns", "SetTopicAttributes", TopicArn=arn, AttributeName=name, AttributeValue=value)
        had = before.get("Subscription", [])
        for each in properties.get("Subscription", ()):
            if each not in had:
                api.call("sns", "Subscribe", TopicArn=arn, Protocol=each["Protocol"], Endpoint=each["Endpoint"])


class TopicPolicy(ResourceType):
    """Who may do what with topics."""

    name = "AWS::SNS::TopicPolicy"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Give the topics the policy."""
        resource.physical_id = resource.logical_id
        self._put(api, properties)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Give the topics another policy."""
        self._put(api, properties)

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its id."""
        return {"Id": resource.physical_id}

    def _put(self, api: Api, properties: Properties) -> None:
        text = document(properties["PolicyDocument"])
        for arn in properties["Topics"]:
            api.call("sns", "SetTopicAttributes", TopicArn=arn, AttributeName="Policy", AttributeValue=text)


class Subscription(ResourceType):
    """Who hears of what a topic is told."""

    name = "AWS::SNS::Subscription"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Subscribe."""
        made = api.call(
            "sns",
            "Subscribe",
            **{key: properties.get(key) for key in ("TopicArn", "Protocol", "Endpoint")},
            ReturnSubscriptionArn=True,
        )
        resource.physical_id = made["SubscriptionArn"]

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Unsubscribe."""
        api.remove("sns", "Unsubscribe", SubscriptionArn=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN."""
        return {"Arn": resource.physical_id}


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
        """Keep its events for longer or shorter."""
        self._retain(api, resource.physical_id, properties)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the group."""
        api.remove("logs", "DeleteLogGroup", logGroupName=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN, which ends in an asterisk."""
        return {"Arn": f"arn:{api.partition}:logs:{api.region}:{api.account}:log-group:{resource.physical_id}:*"}

    def _retain(self, api: Api, name: str, properties: Properties) -> None:
        days = properties.get("RetentionInDays")
        if days is None:
            api.call("logs", "DeleteRetentionPolicy", logGroupName=name)
        else:
            api.call("logs", "PutRetentionPolicy", logGroupName=name, retentionInDays=days)


class Key(ResourceType):
    """A key of the key management service."""

    name = "AWS::KMS::Key"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the key."""
        tags = [{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in properties.get("Tags", ())] or None
        made = api.call(
            "kms",
            "CreateKey",
            **{key: properties.get(key) for key in ("Description", "KeySpec", "KeyUsage", "MultiRegion")},
            Policy=document(properties["KeyPolicy"]) if "KeyPolicy" in properties else None,
            Tags=tags,
        )
        resource.physical_id = made["KeyMetadata"]["KeyId"]
        self._rotate(api, resource.physical_id, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change its policy, description and rotation."""
        key_id = resource.physical_id
        if "KeyPolicy" in properties:
            policy = document(properties["KeyPolicy"])
            api.call("kms", "PutKeyPolicy", KeyId=key_id, PolicyName="default", Policy=policy)
        description = properties.get("Description", "")
        api.call("kms", "UpdateKeyDescription", KeyId=key_id, Description=description)
        self._rotate(api, key_id, properties, before)

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


def _alias(properties: Properties) -> dict[str, Any]:
    return {"AliasName": properties["AliasName"], "TargetKeyId": properties["TargetKeyId"]}


TYPES: tuple[ResourceType, ...] = (Topic(), TopicPolicy(), Subscription(), LogGroup(), Key(), Alias())
