"""Keeps two runs from harming each other: one that is about to use a resource, and one that is about to delete it.

AWS has no lock, so each writes its intent on the resource before it looks for the other's, as in Peterson's algorithm:
the one that uses it writes a claim and then looks for a retirement; the one that deletes it writes a retirement and
then looks for a claim. Whichever looks last sees the other and gives way.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from warmroute.deploy.account import faults
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.ownership import DEPLOYED_TAG, RETIRING_TAG, SERVED_TAG
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.deploy.account.aws import Aws

CLAIM_LASTS = timedelta(minutes=10)
"""How long a claim holds that has not been seen to serve: what a stopped run has claimed can be deleted after it."""

_LOOKS = 30
"""Looks, a second apart, for which a deletion is waited for; a run that was stopped leaves its retirement behind."""

RETIREMENT_HOLDS_SECONDS = 10
"""How long a resource may be deleted after its retirement; whoever wants to use it waits longer than that."""


def now() -> str:
    """The present as a tag holds it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def moment(text: str | None) -> datetime | None:
    """The time that a tag holds, in UTC, or None."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found and in_utc(found)


def in_utc(when: datetime) -> datetime:
    """A time in UTC, which is also what one without a zone is in."""
    return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)


def is_claimed(tags: Mapping[str, str]) -> bool:
    """Whether somebody is about to use a resource and has not seen it serve yet.

    Args:
        tags: Of the resource.
    """
    deployed, served = moment(tags.get(DEPLOYED_TAG)), moment(tags.get(SERVED_TAG))
    if deployed is None or (served is not None and served >= deployed):
        return False
    return datetime.now(UTC) - deployed < CLAIM_LASTS


def claim(aws: Aws, arn: str, further: Iterable[Mapping[str, str]] = (), *, rolls_back: Iterable[str] = ()) -> bool:
    """Announce that a resource is about to be used.

    Args:
        aws: The account and region.
        arn: The resource.
        further: Tags to write with it.
        rolls_back: Keys of further tags that get the time of the claim.

    Returns:
        Whether it exists; somebody may have been deleting it.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    when = now()
    tags = [*further, *({"Key": key, "Value": when} for key in (DEPLOYED_TAG, *rolls_back))]
    try:
        aws.change("sagemaker", "add_tags", ResourceArn=arn, Tags=tags)
    except DeploymentError as error:
        if faults.is_missing(error):
            return False
        raise
    for _ in range(_LOOKS):
        present = tags_of(aws, arn)
        if RETIRING_TAG not in present:
            return bool(present)
        time.sleep(1)
    withdraw(aws, arn)
    return True


def retire(aws: Aws, arn: str, *, claimed: datetime | None) -> bool:
    """Announce that a resource is about to be deleted.

    Args:
        aws: The account and region.
        arn: The resource.
        claimed: The time of the last claim on it, as it was when nothing was found to use it.

    Returns:
        Whether it may be deleted; otherwise somebody is about to use it, or has begun to meanwhile.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    try:
        aws.change("sagemaker", "add_tags", ResourceArn=arn, Tags=[{"Key": RETIRING_TAG, "Value": now()}])
    except DeploymentError as error:
        if faults.is_missing(error):
            return True
        raise
    tags = tags_of(aws, arn)
    if moment(tags.get(DEPLOYED_TAG)) == claimed and not is_claimed(tags):
        return True
    withdraw(aws, arn)
    return False


def withdraw(aws: Aws, arn: str) -> None:
    """Take back that a resource is about to be deleted.

    Args:
        aws: The account and region.
        arn: The resource.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    aws.delete("sagemaker", "delete_tags", ResourceArn=arn, TagKeys=[RETIRING_TAG])
