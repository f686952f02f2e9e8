"""The configurations that were made for an endpoint, in the order in which it ran them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.deploy.account.claims import in_utc, is_claimed, moment
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.ownership import DEPLOYED_TAG, SERVED_TAG, is_owned
from warmroute.render.names import content_name
from warmroute.render.resource import Kind, Ref

if TYPE_CHECKING:
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
    found = []
    listed = aws.listed("list_endpoint_configs", "EndpointConfigs", NameContains=own_beginning(endpoint))
    for each in [each for each in listed if is_own_name(each["EndpointConfigName"], endpoint)]:
        tags = tags_of(aws, each["EndpointConfigArn"])
        if is_owned(tags, endpoint):
            found.append(
                Configuration(
                    each["EndpointConfigName"],
                    each["EndpointConfigArn"],
                    in_utc(each["CreationTime"]),
                    moment(tags.get(DEPLOYED_TAG)),
                    moment(tags.get(SERVED_TAG)),
                    is_claimed(tags),
                )
            )
    return tuple(sorted(found, key=lambda each: (each.last_used, each.name), reverse=True))


def is_own_name(name: str, endpoint: str) -> bool:
    """Whether a name is one that warmroute gives to a model or configuration of an endpoint."""
    return re.fullmatch(re.escape(own_beginning(endpoint)) + "-[0-9a-f]{10}", name) is not None


def own_beginning(endpoint: str) -> str:
    """The beginning of the names that warmroute gives to the models and configurations of an endpoint."""
    return content_name(endpoint, Ref(Kind.MODEL), {}).rpartition("-")[0]
