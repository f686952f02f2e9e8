"""SNS: topics, their policies and their subscriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.types.base import ResourceType, document, retag, tags_of

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
        return _has_topic(api, arn)

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the topic."""
        made = api.call("sns", "CreateTopic", Name=properties["TopicName"], Tags=tags_of(properties))
        resource.physical_id = made["TopicArn"]
        self._apply(api, resource.physical_id, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change its attributes, subscriptions and tags."""
        self._apply(api, resource.physical_id, properties, before)
        named = {"ResourceArn": resource.physical_id}
        retag(api, "sns", named, before, properties, tag="TagResource", untag="UntagResource")

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the topic."""
        api.remove("sns", "DeleteTopic", TopicArn=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its name."""
        return {"TopicArn": resource.physical_id, "TopicName": resource.physical_id.rpartition(":")[2]}

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a topic."""
        return dict(resource.properties) if _has_topic(api, resource.physical_id) else None

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

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there are such topics."""
        topics = resource.properties["Topics"]
        return dict(resource.properties) if all(_has_topic(api, arn) for arn in topics) else None

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

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a subscription."""
        found = api.find("sns", "GetSubscriptionAttributes", SubscriptionArn=resource.physical_id)
        return dict(resource.properties) if found is not None else None


def _has_topic(api: Api, arn: str) -> bool:
    return api.find("sns", "GetTopicAttributes", TopicArn=arn) is not None


TYPES: tuple[ResourceType, ...] = (Topic(), TopicPolicy(), Subscription())
