"""Takes an endpoint back to a configuration that it ran before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.claims import claim, now
from warmroute.deploy.account.configurations import adopted_configuration, is_own_name, own_configurations
from warmroute.deploy.account.contents import models_of
from warmroute.deploy.account.live import config_ahead
from warmroute.deploy.account.naming import refuse_unnameable
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.changing.waiting import wait_for_endpoint
from warmroute.deploy.ownership import DEPLOYED_TAG, OWNER_TAG, ROLLED_BACK_TAG, SERVED_TAG, is_owned
from warmroute.deploy.progress import Progress
from warmroute.deploy.results import Outcome
from warmroute.errors import DeploymentError
from warmroute.hosting.tags import as_tag_list

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.account.configurations import Configuration
    from warmroute.deploy.results import Result


def roll_back(
    aws: Aws,
    name: str,
    *,
    to: str | None,
    wait: bool,
    poll_seconds: float,
    on_progress: Callable[[Progress], None],
) -> Outcome:
    """Take an endpoint back to the configuration that served before, or to one that is named, and verify it.

    Counts and weights stay as they are, so that a roll-back takes no capacity away, and so do the guardrails of the
    last update. Components and scaling stay too.

    Args:
        aws: The account and region.
        name: The endpoint.
        to: Name of the configuration; None means the one that served last before the one that serves now.
        wait: Whether to wait until it serves.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every step.

    Raises:
        DeploymentError: There is nothing to go back to, the endpoint is not ours or cannot be changed now, or the
            update failed.
    """
    if to is not None:
        refuse_unnameable(to, "an endpoint configuration")
    endpoint, tags = _own_endpoint(aws, name)
    running = config_ahead(endpoint)
    if to is None and _is_unfinished(aws, running, name):
        to = running  # An earlier roll-back was stopped before it had been seen to serve.
    config = _target(aws, name, running, to, tags)
    target = str(config["EndpointConfigName"])
    follows = running == target
    _refuse_unfit(endpoint, follows=follows)
    if not follows:
        if is_owned(tags_of(aws, config["EndpointConfigArn"]), name):
            claim(aws, config["EndpointConfigArn"], rolls_back=[ROLLED_BACK_TAG])
        _ensure(aws, config, name)
        _update(aws, name, target, retain=bool(endpoint.get("LastDeploymentConfig")))
    result: Result = "unchanged" if follows else "updated"
    on_progress(Progress(result, "endpoint", name))
    if wait:
        wait_for_endpoint(
            aws,
            name,
            target,
            poll_seconds=poll_seconds,
            on_progress=on_progress,
            guardrails=endpoint.get("LastDeploymentConfig"),
        )
        _ensure(aws, config, name)
        _note_served(aws, config, name)
    return Outcome(name, result, target, aws.region)


def previous(configurations: tuple[Configuration, ...], running: str) -> Configuration | None:
    """The configuration that served last before the one that runs, or None.

    Args:
        configurations: Those made for the endpoint, in any order.
        running: Name of the one that runs.
    """
    served = [each for each in configurations if each.served is not None and each.name != running]
    return max(served, key=lambda each: (each.served, each.name), default=None)


def _own_endpoint(aws: Aws, name: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The endpoint and its tags."""
    endpoint = aws.describe("describe_endpoint", EndpointName=name)
    if endpoint is None:
        raise DeploymentError(f"There is no endpoint {name} in {aws.region}.", "Check the name and the region.")
    tags = tags_of(aws, endpoint["EndpointArn"])
    if not is_owned(tags, name):
        raise DeploymentError(
            f"Endpoint {name} was not made by warmroute (it lacks the tag {OWNER_TAG}).",
            "Take it over with `warmroute apply SPEC --adopt` first.",
        )
    return endpoint, tags


def _refuse_unfit(endpoint: Mapping[str, Any], *, follows: bool) -> None:
    name, status = endpoint["EndpointName"], endpoint["EndpointStatus"]
    if status not in {"InService", "UpdateRollbackFailed"} and not (follows and status == "Updating"):
        raise DeploymentError(
            f"Endpoint {name} is in state {status}, so it cannot be changed now.",
            f"Wait until it is InService; `warmroute status {name}` shows it.",
        )


def _is_unfinished(aws: Aws, running: str, endpoint: str) -> bool:
    """Whether the configuration that runs is there by a roll-back that has not been seen to serve."""
    config = aws.describe("describe_endpoint_config", EndpointConfigName=running)
    tags = tags_of(aws, config["EndpointConfigArn"]) if config else {}
    deployed = tags.get(DEPLOYED_TAG, "")
    was_rolled_back = tags.get(ROLLED_BACK_TAG) == deployed and deployed > tags.get(SERVED_TAG, "")
    return bool(deployed) and was_rolled_back and is_owned(tags, endpoint)


def _target(aws: Aws, name: str, running: str, to: str | None, tags: Mapping[str, str]) -> dict[str, Any]:
    """What DescribeEndpointConfig says of the configuration to go back to."""
    if to is None:
        found = previous(_kept(aws, name, tags), running)
        if found is None:
            raise DeploymentError(
                f"Endpoint {name} has no earlier configuration that served and is kept.",
                "Apply an earlier spec, or name a configuration with --to.",
            )
        to = found.name
    config = aws.describe("describe_endpoint_config", EndpointConfigName=to)
    if config is None:
        kept = ", ".join(each.name for each in _kept(aws, name, tags)) or "none"
        raise DeploymentError(f"There is no configuration {to}.", f"Kept: {kept}.")
    owner = tags_of(aws, config["EndpointConfigArn"]).get(OWNER_TAG, name)
    if owner.lower() != name.lower():
        raise DeploymentError(
            f"Configuration {to} was made for endpoint {owner}, whose deployments may delete it.",
            f"`warmroute status {name}` shows what {name} can go back to.",
        )
    missing = [model for model in models_of(config) if aws.describe("describe_model", ModelName=model) is None]
    if missing:
        raise DeploymentError(
            f"Configuration {to} needs models that are gone: {', '.join(missing)}.", "Apply an earlier spec instead."
        )
    return config


def _kept(aws: Aws, name: str, tags: Mapping[str, str]) -> tuple[Configuration, ...]:
    """The configurations that the endpoint can go back to."""
    return (*own_configurations(aws, name), *filter(None, (adopted_configuration(aws, name, tags),)))


def _update(aws: Aws, name: str, target: str, *, retain: bool) -> None:
    guardrails = {"RetainDeploymentConfig": True} if retain else {}
    try:
        aws.change(
            "sagemaker",
            "update_endpoint",
            EndpointName=name,
            EndpointConfigName=target,
            RetainAllVariantProperties=True,
            **guardrails,
        )
    except DeploymentError:
        state = aws.describe("describe_endpoint", EndpointName=name)
        if state is None or config_ahead(state) != target:
            raise
        # The answer to our own call was lost.


def _ensure(aws: Aws, config: Mapping[str, Any], endpoint: str) -> None:
    """Make the configuration again where somebody else's clean-up deleted it between the look and the update."""
    name = str(config["EndpointConfigName"])
    if aws.describe("describe_endpoint_config", EndpointConfigName=name) is not None:
        return
    described = {"EndpointConfigArn", "CreationTime", "ResponseMetadata"}
    parameters = {key: value for key, value in config.items() if key not in described and value is not False}
    if is_own_name(name, endpoint):
        parameters["Tags"] = as_tag_list({OWNER_TAG: endpoint, DEPLOYED_TAG: now()})
    aws.create("sagemaker", "create_endpoint_config", **parameters)


def _note_served(aws: Aws, config: Mapping[str, Any], endpoint: str) -> None:
    """Write on a configuration that was made for the endpoint when it was seen to serve."""
    arn = config["EndpointConfigArn"]
    if is_owned(tags_of(aws, arn), endpoint):
        aws.change("sagemaker", "add_tags", ResourceArn=arn, Tags=[{"Key": SERVED_TAG, "Value": now()}])
