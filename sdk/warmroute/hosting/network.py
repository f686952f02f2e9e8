"""Where containers run, and which traffic may leave the region."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from warmroute.hosting.text import SecurityGroupId, SubnetId
from warmroute.settings import Many, Settings


class VpcConfig(Settings):
    """The VPC that containers reach. Source: botocore ``VpcConfig``."""

    security_group_ids: Annotated[Many[SecurityGroupId], Field(min_length=1, max_length=5)]
    """Security groups of the VPC, 1 to 5."""

    subnets: Annotated[Many[SubnetId], Field(min_length=1, max_length=16)]
    """Subnets that instances attach to, 1 to 16; the instance type must exist in their zones."""


class CrossRegionTrafficConfig(Settings):
    """How much traffic may go to other regions. Source: botocore ``CrossRegionTrafficConfig`` (1.44.4 and later)."""

    max_invocations_per_second_per_instance: int = Field(ge=1, le=10_000)
    """Requests per second on one instance at which traffic begins to leave the region."""

    max_cross_region_percent_per_endpoint: int = Field(ge=1, le=100)
    """Largest share of the endpoint's traffic that may leave the region, in percent."""
