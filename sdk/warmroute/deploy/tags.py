"""Tags of what already exists, brought to what the spec says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    present: dict[str, str] = {}
    page: dict[str, Any] = {}
    while True:
        answer = aws.call("sagemaker", "list_tags", ResourceArn=arn, **page)
        present |= {tag["Key"]: tag["Value"] for tag in answer["Tags"]}
        if "NextToken" not in answer:
            break
        page = {"NextToken": answer["NextToken"]}
    lacking = [tag for tag in tags if present.get(tag["Key"]) != tag["Value"]]
    if lacking:
        aws.call("sagemaker", "add_tags", ResourceArn=arn, Tags=lacking)
    return bool(lacking)
