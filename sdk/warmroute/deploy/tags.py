"""Tags of what already exists, brought to what the spec says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.deploy.aws import Aws


def sync_tags(aws: Aws, arn: str, tags: list[dict[str, str]]) -> bool:
    """Add the tags that a resource lacks or has with another value; tags that others have given it stay.

    Args:
        aws: The account and region.
        arn: The resource.
        tags: The tags that it should have, in AWS's form.

    Returns:
        Whether anything was changed.
    """
    present = {tag["Key"]: tag["Value"] for tag in aws.listed("list_tags", "Tags", ResourceArn=arn)}
    lacking = [tag for tag in tags if present.get(tag["Key"]) != tag["Value"]]
    if lacking:
        aws.call("sagemaker", "add_tags", ResourceArn=arn, Tags=lacking)
    return bool(lacking)
