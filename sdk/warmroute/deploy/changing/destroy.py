"""Deletes an endpoint and everything that was made for it, and nothing of anybody else's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from warmroute.deploy.account import faults
from warmroute.deploy.account.aws import PATIENCE
from warmroute.deploy.account.clean_up import clean_up
from warmroute.deploy.account.live import read_components, read_live
from warmroute.deploy.changing.components import delete_components
from warmroute.deploy.changing.scaling import remove_scaling
from warmroute.deploy.changing.waiting import wait_until_gone, wait_until_settled
from warmroute.deploy.ownership import OWNER_TAG, is_owned
from warmroute.deploy.planning.component_updates import last_first
from warmroute.deploy.progress import Progress, noting_deletions
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.account.live import Live


def destroy(aws: Aws, name: str, *, poll_seconds: float, on_progress: Callable[[Progress], None]) -> tuple[str, ...]:
    """Delete scaling, components, the endpoint, and then its configurations and models, in that order.

    What a stopped run has left is found by names and tags, so running it again goes on.

    Args:
        aws: The account and region.
        name: The endpoint.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every step.

    Returns:
        Names of what was deleted, in the order in which it went.

    Raises:
        DeploymentError: The endpoint or something on it is not ours, or AWS refuses. Nothing has been changed where
            it is not ours.
    """
    removed: list[str] = []
    told = noting_deletions(on_progress, removed)
    live = read_live(aws, name)
    if live.endpoint is not None:
        refuse_others(live)
        wait_until_settled(aws, name, poll_seconds=poll_seconds, on_progress=told)
    remove_scaling(
        aws,
        [each for each in live.scaling.values() if live.endpoint is not None or each.is_removable(name)],
        on_progress=told,
    )
    if live.endpoint is not None:
        components = read_components(aws, name) if live.components else {}
        delete_components(aws, last_first(components, components), poll_seconds=poll_seconds, on_progress=told)
        _delete_endpoint(aws, name, poll_seconds=poll_seconds, on_progress=told)
    clean_up(aws, name, keep=0, on_progress=told, regardless=True)
    return tuple(removed)


def refuse_others(live: Live) -> None:
    """Refuse to delete what was not made here.

    Args:
        live: What the account has; there is an endpoint.

    Raises:
        DeploymentError: The endpoint, or a component on it, lacks our tag.
    """
    if not live.is_owned:
        raise DeploymentError(
            f"Endpoint {live.name} was not made by warmroute (it lacks the tag {OWNER_TAG}), so it is not deleted.",
            f"Use: aws sagemaker delete-endpoint --endpoint-name {live.name}",
        )
    others = [name for name, each in live.components.items() if not is_owned(each.tags, live.name)]
    if others:
        raise DeploymentError(
            f"Endpoint {live.name} runs components that warmroute did not make: {', '.join(others)}.",
            "Delete them first, or leave the endpoint.",
        )


def _delete_endpoint(aws: Aws, name: str, *, poll_seconds: float, on_progress: Callable[[Progress], None]) -> None:
    for attempt in range(1, PATIENCE + 1):
        try:
            aws.delete("sagemaker", "delete_endpoint", EndpointName=name)
            break
        except DeploymentError as error:
            state = aws.describe("describe_endpoint", EndpointName=name)
            if state is None or state["EndpointStatus"] == "Deleting":
                break
            # A component that has just gone may still be seen, and an update may just have begun.
            if attempt == PATIENCE or not faults.is_refused(error):
                raise
            time.sleep(attempt)
            wait_until_settled(aws, name, poll_seconds=poll_seconds, on_progress=on_progress)
    wait_until_gone(
        aws,
        "describe_endpoint",
        {"EndpointName": name},
        "endpoint",
        poll_seconds=poll_seconds,
        on_progress=on_progress,
    )
    on_progress(Progress("deleted", "endpoint", name))
