"""What an account has of an endpoint: read once, before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.configurations import Configuration, adopted_configuration, own_configurations
from warmroute.deploy.account.contents import models_of, models_of_component
from warmroute.deploy.account.live_scaling import LiveScaling, read_scaling
from warmroute.deploy.account.tags import tags_of
from warmroute.deploy.ownership import is_owned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.wanted import ScalingKey, Wanted

Described = dict[str, Any]
"""What a Describe call says."""


@dataclass(frozen=True, slots=True)
class Existing:
    """A resource that exists."""

    described: Described
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Live:
    """An endpoint and everything that belongs to it, as the account has it."""

    name: str
    """Name of the endpoint, existing or not."""

    endpoint: Described | None
    """What DescribeEndpoint says."""

    tags: Mapping[str, str]
    """Of the endpoint."""

    config: Described | None
    """The configuration in force, or the first one on its way; None where there is no endpoint, or it is deleted."""

    models: Mapping[str, Existing]
    """By name: those of the configuration and of the components, and those of the spec that exist."""

    configs: Mapping[str, Existing]
    """By name: the configuration of the spec, where it exists."""

    components: Mapping[str, Existing]
    """By name: those on the endpoint."""

    components_elsewhere: Mapping[str, str]
    """Components of the spec's names on other endpoints, with the endpoint's name."""

    scaling: Mapping[ScalingKey, LiveScaling] = field(default_factory=dict)
    """Scalable targets of the endpoint's variants and components."""

    configurations: tuple[Configuration, ...] = ()
    """The configurations that were made for the endpoint, the last deployed first."""

    adopted: Configuration | None = None
    """The configuration that the endpoint was taken over with, where its name is not one of warmroute's."""

    @property
    def status(self) -> str:
        """SageMaker's status of the endpoint; empty where there is none."""
        return str(self.endpoint["EndpointStatus"]) if self.endpoint else ""

    @property
    def config_name(self) -> str:
        """The configuration that the endpoint runs, or is on its way to; empty where there is no endpoint."""
        return config_ahead(self.endpoint) if self.endpoint else ""

    @property
    def is_owned(self) -> bool:
        """Whether the endpoint was made by warmroute, or adopted."""
        return is_owned(self.tags, self.name)


def config_ahead(endpoint: Mapping[str, Any]) -> str:
    """The configuration that an endpoint runs, or is on its way to."""
    return str((endpoint.get("PendingDeploymentSummary") or endpoint)["EndpointConfigName"])


def read_live(aws: Aws, name: str, wanted: Wanted | None = None) -> Live:
    """Read what an account has of an endpoint.

    Args:
        aws: The account and region.
        name: The endpoint.
        wanted: What is asked for, which may exist without being in use.

    Raises:
        DeploymentError: AWS cannot be asked, or refuses to answer.
    """
    endpoint = aws.describe("describe_endpoint", EndpointName=name)
    tags = tags_of(aws, endpoint["EndpointArn"]) if endpoint else {}
    config = None
    if endpoint:
        config = aws.describe("describe_endpoint_config", EndpointConfigName=config_ahead(endpoint))
    components = read_components(aws, name) if _may_have_components(endpoint, config, wanted) else {}
    used = [
        *(models_of(config) if config else ()),
        *chain.from_iterable(models_of_component(each.described) for each in components.values()),
    ]
    return Live(
        name=name,
        endpoint=endpoint,
        tags=tags,
        config=config,
        models=_models(aws, [*used, *(wanted.models if wanted else ())]),
        configs=_config(aws, wanted.config_name) if wanted else {},
        components=components,
        components_elsewhere=_elsewhere(aws, wanted, components) if wanted else {},
        scaling=read_scaling(
            aws, name, [*components, *(wanted.components if wanted else ())], required=bool(wanted and wanted.scaling)
        ),
        configurations=own_configurations(aws, name),
        adopted=adopted_configuration(aws, name, tags),
    )


def read_components(aws: Aws, endpoint: str) -> dict[str, Existing]:
    """The components on an endpoint, by name.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    listed = aws.listed("list_inference_components", "InferenceComponents", EndpointNameEquals=endpoint)
    found = {}
    for name in sorted(each["InferenceComponentName"] for each in listed):
        described = aws.describe("describe_inference_component", InferenceComponentName=name)
        if described is not None:
            found[name] = Existing(described, tags_of(aws, described["InferenceComponentArn"]))
    return found


def _may_have_components(endpoint: Described | None, config: Described | None, wanted: Wanted | None) -> bool:
    if endpoint is not None and config is None:
        return True  # Somebody deleted the configuration, so it cannot tell.
    hosts = config is not None and any(
        not variant.get("ModelName") and not variant.get("ServerlessConfig")
        for variant in config.get("ProductionVariants", ())
    )
    return hosts or bool(wanted and wanted.spec.serves_components)


def _models(aws: Aws, names: Iterable[str]) -> dict[str, Existing]:
    found = {}
    for name in dict.fromkeys(names):
        described = aws.describe("describe_model", ModelName=name)
        if described is not None:
            found[name] = Existing(described, tags_of(aws, described["ModelArn"]))
    return found


def _config(aws: Aws, name: str) -> dict[str, Existing]:
    described = aws.describe("describe_endpoint_config", EndpointConfigName=name)
    if described is None:
        return {}
    return {name: Existing(described, tags_of(aws, described["EndpointConfigArn"]))}


def _elsewhere(aws: Aws, wanted: Wanted, here: Mapping[str, Existing]) -> dict[str, str]:
    found = {}
    for name in wanted.components:
        if name in here:
            continue
        described = aws.describe("describe_inference_component", InferenceComponentName=name)
        if described is not None and described["EndpointName"].lower() != wanted.spec.name.lower():
            found[name] = described["EndpointName"]
    return found
