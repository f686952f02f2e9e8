"""Types of which nothing is made but the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.types.base import ResourceType

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Recorded(ResourceType):
    """A type that makes nothing in any account, in AWS neither."""

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its id."""
        return {"Id": resource.physical_id}


class Metadata(Recorded):
    """What the CDK tells AWS of itself."""

    name = "AWS::CDK::Metadata"


class WaitConditionHandle(Recorded):
    """A placeholder, in templates that must have some resource."""

    name = "AWS::CloudFormation::WaitConditionHandle"


TYPES: tuple[ResourceType, ...] = (Metadata(), WaitConditionHandle())
