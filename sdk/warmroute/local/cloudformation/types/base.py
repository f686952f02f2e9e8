"""What the engine asks of a resource type."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource

    Properties = dict[str, Any]
    """Of a resource, resolved."""


class ResourceType:
    """How resources of one type are made, changed and deleted. This one is recorded and nothing else happens."""

    name: ClassVar[str]
    """Such as ``AWS::SageMaker::Model``."""

    name_property: ClassVar[str | None] = None
    """The property with a name that no two resources share; it gets a made-up one where the template has none."""

    name_limit: ClassVar[int] = 63
    """Longest name that is made up."""

    name_is_lower: ClassVar[bool] = False
    """Whether made-up names have small letters only."""

    attribute_names: ClassVar[tuple[str, ...]] = ()
    """What Fn::GetAtt gives beside the read-only properties of the schema."""

    also_replacing: ClassVar[frozenset[str]] = frozenset()
    """Properties whose change takes a new resource though the schema does not say so."""

    may_take_over: bool = False
    """Whether creating it may give what exists already, which then is some other resource's."""

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether there is a resource already that a new one would silently take the place of."""
        return False

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Begin to make a resource, and give it its physical id.

        Raises:
            ResourceFailedError: It cannot be made.
        """
        resource.physical_id = resource.logical_id

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Begin to give a resource other properties.

        Raises:
            ResourceFailedError: It cannot have them.
        """

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Begin or go on to delete a resource; true once it is gone.

        Raises:
            ResourceFailedError: It cannot be deleted.
        """
        return True

    def is_busy(self, api: Api, resource: StackResource) -> bool:
        """Whether it takes no change before something else is done."""
        return False

    def is_settled(self, api: Api, resource: StackResource) -> bool:
        """Whether it is as it was wanted.

        Raises:
            ResourceFailedError: It never will be.
        """
        return True

    def must_replace(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Whether only a new resource can have the properties, for reasons that no property shows by itself."""
        return False

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """What Fn::GetAtt gives."""
        return {}

    def physical_id(self, identifier: Mapping[str, str]) -> str:
        """The physical id of an existing resource, from what tells it from others."""
        return next(iter(identifier.values()))

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """The properties that it really has, for drift detection and import; none when there is no such resource.

        Types of which nothing is made but the record have what was recorded.
        """
        return dict(resource.properties)

    can_drift: ClassVar[bool] = False
    """Whether ``read`` tells what is really there, and not only that something is."""


def document(content: Any) -> str:
    """A policy document as APIs take it."""
    return content if isinstance(content, str) else json.dumps(content)


def tags_of(properties: Mapping[str, Any]) -> list[dict[str, str]] | None:
    """The tags of a resource as most APIs take them; none where there are none."""
    return properties.get("Tags") or None


def tag_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[list[dict[str, str]], list[str]]:
    """The tags that a resource gets, and the keys of those that it loses.

    Args:
        before: Its properties so far.
        after: Its properties from now on.
    """
    old, new = before.get("Tags") or [], after.get("Tags") or []
    keys = {each["Key"] for each in new}
    return [each for each in new if each not in old], [each["Key"] for each in old if each["Key"] not in keys]


def retag(
    api: Api,
    service: str,
    named: Mapping[str, str],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    tag: str,
    untag: str,
) -> None:
    """Bring the tags of a resource from what its properties were to what they are.

    Args:
        api: The account and region.
        service: Name of the service as boto3 has it.
        named: What names the resource in both calls.
        before: Its properties so far.
        after: Its properties from now on.
        tag: The call that sets tags.
        untag: The call that removes them.
    """
    added, removed = tag_changes(before, after)
    if removed:
        api.call(service, untag, **named, TagKeys=removed)
    if added:
        api.call(service, tag, **named, Tags=added)
