"""Tags of what already exists: read, and brought to what the spec says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.account import faults
from warmroute.deploy.ownership import as_mapping
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.results import Result


def tags_of(aws: Aws, arn: str) -> dict[str, str]:
    """The tags of a SageMaker resource; none where it is gone.

    Args:
        aws: The account and region.
        arn: The resource.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    try:
        return as_mapping(aws.listed("list_tags", "Tags", ResourceArn=arn))
    except DeploymentError as error:
        if faults.is_missing(error):
            return {}
        raise


def lacking_tags(present: Mapping[str, str], wanted: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The tags that a resource lacks or has with another value; tags that others have given it stay.

    Args:
        present: Tags of the resource.
        wanted: Tags that it should have, in AWS's form.
    """
    return [dict(tag) for tag in wanted if present.get(tag["Key"]) != tag["Value"]]


def retag(aws: Aws, arn: str, tags: Sequence[Mapping[str, str]], *, present: Mapping[str, str] | None = None) -> Result:
    """Bring tags to a resource that exists; those that others have given it stay.

    Args:
        aws: The account and region.
        arn: The resource.
        tags: What it should have, in AWS's form.
        present: What it has, where that has just been read.

    Raises:
        DeploymentError: AWS refuses.
    """
    lacking = lacking_tags(tags_of(aws, arn) if present is None else present, tags)
    if lacking:
        aws.change("sagemaker", "add_tags", ResourceArn=arn, Tags=lacking)
    return "updated" if lacking else "unchanged"
