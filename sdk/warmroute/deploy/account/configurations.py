"""The configurations that were made for an endpoint, in the order in which it ran them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.claims import in_utc, is_claimed, moment
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.ownership import ADOPTED_TAG, DEPLOYED_TAG, SERVED_TAG, is_owned
from warmroute.render.names import content_name
from warmroute.render.resource import Kind, Ref

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from warmroute.deploy.account.aws import Aws


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration that was made for an endpoint."""

    name: str
    arn: str
    created: datetime
    """When it was made."""

    deployed: datetime | None
    """When the endpoint was last told to run it."""

    served: datetime | None
    """When it was last seen to serve after a deployment; None where it never did."""

    is_claimed: bool = False
    """Whether a run is about to use it."""

    @property
    def last_used(self) -> datetime:
        """When it was last deployed or seen to serve; when it was made, where neither is known."""
        # The first two are this machine's times and the third is AWS's, which may differ.
        return max(filter(None, (self.deployed, self.served)), default=self.created)


def own_configurations(aws: Aws, endpoint: str) -> tuple[Configuration, ...]:
    """The configurations that were made for an endpoint, the last used first.

    Both the name and the tag must say so.

    Args:
        aws: The account and region.
        endpoint: Name of the endpoint.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    listed = aws.listed("list_endpoint_configs", "EndpointConfigs", NameContains=own_beginning(endpoint))
    named = [each for each in listed if is_own_name(each["EndpointConfigName"], endpoint)]
    found = filter(None, (_configuration(aws, each, endpoint) for each in named))
    return tuple(sorted(found, key=lambda each: (each.last_used, each.name), reverse=True))


def adopted_configuration(aws: Aws, endpoint: str, tags: Mapping[str, str]) -> Configuration | None:
    """The configuration that an endpoint was taken over with, where it has a name of its own; never deleted here.

    Args:
        aws: The account and region.
        endpoint: Name of the endpoint.
        tags: Of the endpoint.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    name = tags.get(ADOPTED_TAG)
    described = aws.describe("describe_endpoint_config", EndpointConfigName=name) if name else None
    return _configuration(aws, described, endpoint) if described else None


def _configuration(aws: Aws, described: Mapping[str, Any], endpoint: str) -> Configuration | None:
    """A configuration that is listed or described, or None where its tags say that it is not the endpoint's."""
    tags = tags_of(aws, described["EndpointConfigArn"])
    if not is_owned(tags, endpoint):
        return None
    return Configuration(
        described["EndpointConfigName"],
        described["EndpointConfigArn"],
        in_utc(described["CreationTime"]),
        moment(tags.get(DEPLOYED_TAG)),
        moment(tags.get(SERVED_TAG)),
        is_claimed(tags),
    )


def is_own_name(name: str, endpoint: str) -> bool:
    """Whether a name is one that warmroute gives to a model or configuration of an endpoint."""
    return re.fullmatch(re.escape(own_beginning(endpoint)) + "-[0-9a-f]{10}", name) is not None


def own_beginning(endpoint: str) -> str:
    """The beginning of the names that warmroute gives to the models and configurations of an endpoint."""
    return content_name(endpoint, Ref(Kind.MODEL), {}).rpartition("-")[0]
