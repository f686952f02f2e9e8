"""Tags of what already exists: read, and brought to what the spec says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.ownership import as_mapping
from warmroute.deploy.plan import FieldChange
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.deploy.aws import Aws


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
        if aws.is_missing(error):
            return {}
        raise


def lacking_tags(present: Mapping[str, str], wanted: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The tags that a resource lacks or has with another value; tags that others have given it stay.

    Args:
        present: Tags of the resource.
        wanted: Tags that it should have, in AWS's form.
    """
    return [dict(tag) for tag in wanted if present.get(tag["Key"]) != tag["Value"]]


def tag_fields(present: Mapping[str, str], wanted: Sequence[Mapping[str, str]]) -> tuple[FieldChange, ...]:
    """The same tags as changes, each under its key as it is spelt.

    Args:
        present: Tags of the resource.
        wanted: Tags that it should have, in AWS's form.
    """
    lacking = lacking_tags(present, wanted)
    return tuple(FieldChange(f"tags.{tag['Key']}", present.get(tag["Key"]), tag["Value"]) for tag in lacking)
