"""Configurations and models that are no longer needed: which ones, and their deletion."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.deploy.account import faults
from warmroute.deploy.account.claims import RETIREMENT_HOLDS_SECONDS, is_claimed, moment, retire, withdraw
from warmroute.deploy.account.configurations import is_own_name, own_beginning, own_configurations
from warmroute.deploy.account.contents import models_of, models_of_component
from warmroute.deploy.account.live import config_ahead
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.ownership import DEPLOYED_TAG, is_owned
from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.account.configurations import Configuration

DEFAULT_KEEP = 3
"""Configurations that are kept, the one that serves among them."""


@dataclass(frozen=True, slots=True)
class CleanUp:
    """What can be deleted: names, each with the time of the last claim on it that was seen."""

    configs: Mapping[str, datetime | None] = field(default_factory=dict)
    """Configurations, the oldest first."""

    models: Mapping[str, datetime | None] = field(default_factory=dict)


def superfluous(
    aws: Aws,
    endpoint: str,
    configurations: Iterable[Configuration],
    *,
    needed_configs: Iterable[str],
    needed_models: Iterable[str],
    keep: int,
    regardless: bool = False,
) -> CleanUp:
    """What was made for an endpoint and is neither kept nor in use by any endpoint of the account.

    Both name and tag must say that it was made for this endpoint.

    Args:
        aws: The account and region.
        endpoint: Name of the endpoint.
        configurations: Those made for it, the last used first.
        needed_configs: Configurations that are about to be in use.
        needed_models: Models that are about to be in use.
        keep: How many configurations to keep.
        regardless: Whether what a run is about to use goes too, since the endpoint itself goes.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    configurations = tuple(configurations)
    needed = tuple(dict.fromkeys(needed_configs))
    rest = [each.name for each in configurations if each.name not in needed]
    kept = {*needed, *rest[: max(0, keep - len(needed))]}
    old = [each for each in configurations if each.name not in kept and (regardless or not each.is_claimed)]
    models = _own_models(aws, endpoint, regardless=regardless)
    for name in needed_models:
        models.pop(name, None)
    in_use = _configs_in_use(aws) if old or models else set()
    configs = {each.name: each.deployed for each in reversed(old) if each.name not in in_use}
    if models:
        for name in _models_in_use(aws, in_use.union(each.name for each in configurations if each.name not in configs)):
            models.pop(name, None)
    return CleanUp(configs, dict(sorted(models.items())))


def clean_up(
    aws: Aws,
    endpoint: str,
    *,
    needed_configs: Iterable[str] = (),
    needed_models: Iterable[str] = (),
    keep: int,
    on_progress: Callable[[Progress], None],
    regardless: bool = False,
) -> None:
    """Delete what is superfluous, and nothing while the endpoint is in the middle of a change.

    Args:
        aws: The account and region.
        endpoint: Name of the endpoint.
        needed_configs: Configurations that are in use whatever a stale read says.
        needed_models: Models that are in use whatever a stale read says.
        keep: How many configurations to keep.
        on_progress: Told of every deletion.
        regardless: Whether what a run is about to use goes too, since the endpoint itself goes.

    Raises:
        DeploymentError: AWS cannot be asked, or refuses.
    """
    found = superfluous(
        aws,
        endpoint,
        own_configurations(aws, endpoint),
        needed_configs=needed_configs,
        needed_models=needed_models,
        keep=keep,
        regardless=regardless,
    )
    for kind, names in ((_CONFIG, found.configs), (_MODEL, found.models)):
        deleted = [
            _delete(aws, kind, name, endpoint, on_progress, claimed=claimed, regardless=regardless)
            for name, claimed in names.items()
        ]
        if not all(deleted):
            return  # A configuration that stays may need its models.


class _Kind(NamedTuple):
    name: str
    noun: str
    """As boto3's methods call it."""

    key: str
    """Parameter that names it."""

    arn: str
    """Field of its ARN."""


_CONFIG = _Kind("endpoint configuration", "endpoint_config", "EndpointConfigName", "EndpointConfigArn")
_MODEL = _Kind("model", "model", "ModelName", "ModelArn")


def _delete(
    aws: Aws,
    kind: _Kind,
    name: str,
    endpoint: str,
    on_progress: Callable[[Progress], None],
    *,
    claimed: datetime | None,
    regardless: bool,
) -> bool:
    """Delete what nobody is about to use; whether it went."""
    described = aws.describe(f"describe_{kind.noun}", **{kind.key: name})
    if described is None:
        return True
    arn = described[kind.arn]
    retired = monotonic()
    if not regardless and not retire(aws, arn, claimed=claimed):
        return False
    is_free = kind is not _CONFIG or _is_free(aws, endpoint, name)
    # A run that was held up meanwhile may have been taken for one that was stopped; the next one deletes.
    is_late = not regardless and monotonic() - retired > RETIREMENT_HOLDS_SECONDS
    if not is_free or is_late:
        withdraw(aws, arn)
        return False
    try:
        aws.delete("sagemaker", f"delete_{kind.noun}", **{kind.key: name})
    except DeploymentError as error:
        if not faults.is_refused(error):
            raise
        withdraw(aws, arn)
        return False  # It is in use after all, and stays.
    on_progress(Progress("deleted", kind.name, name))
    return True


def _is_free(aws: Aws, endpoint: str, config: str) -> bool:
    state = aws.describe("describe_endpoint", EndpointName=endpoint)
    if state is None:
        return True
    settled = state["EndpointStatus"] in {"InService", "Failed", "OutOfService"}
    return settled and config not in {state["EndpointConfigName"], config_ahead(state)}


def _configs_in_use(aws: Aws) -> set[str]:
    """The configurations that any endpoint of the account runs or is on its way to."""
    used = set()
    for each in aws.listed("list_endpoints", "Endpoints"):
        state = aws.describe("describe_endpoint", EndpointName=each["EndpointName"])
        if state is not None:
            used |= {state["EndpointConfigName"], config_ahead(state)}
    return used


def _own_models(aws: Aws, endpoint: str, *, regardless: bool) -> dict[str, datetime | None]:
    listed = aws.listed("list_models", "Models", NameContains=own_beginning(endpoint))
    own = [each for each in listed if is_own_name(each["ModelName"], endpoint)]
    tagged = ((each["ModelName"], tags_of(aws, each["ModelArn"])) for each in own)
    return {
        name: moment(tags.get(DEPLOYED_TAG))
        for name, tags in tagged
        if is_owned(tags, endpoint) and (regardless or not is_claimed(tags))
    }


def _models_in_use(aws: Aws, configs: Iterable[str]) -> set[str]:
    """The models of configurations, and of every component of the account."""
    used: set[str] = set()
    for name in configs:
        used |= set(models_of(aws.describe("describe_endpoint_config", EndpointConfigName=name) or {}))
    for each in aws.listed("list_inference_components", "InferenceComponents"):
        component: dict[str, Any] = (
            aws.describe("describe_inference_component", InferenceComponentName=each["InferenceComponentName"]) or {}
        )
        used |= set(models_of_component(component))
    return used
