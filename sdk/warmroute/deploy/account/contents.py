"""The content of models and configurations, however they are named: what was asked for, and what is described."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DESCRIPTIVE = {
    "ModelName",
    "ModelArn",
    "EndpointConfigName",
    "EndpointConfigArn",
    "CreationTime",
    "DeploymentRecommendation",
    "ResponseMetadata",
    "Tags",
}
_FAMILIES = ("ProductionVariants", "ShadowProductionVariants")
_RANDOM = {"RoutingStrategy": "RANDOM"}


def model_content(model: Mapping[str, Any]) -> dict[str, Any]:
    """What a model holds: parameters of CreateModel or what DescribeModel says, without name, tags and defaults."""
    content = _content(model)
    if "PrimaryContainer" in content:
        content["PrimaryContainer"] = _container(content["PrimaryContainer"])
    if "Containers" in content:
        content["Containers"] = [_container(each) for each in content["Containers"]]
    return content


def config_content(config: Mapping[str, Any], *, counts: bool = True) -> dict[str, Any]:
    """What a configuration holds, in whatever order: parameters of CreateEndpointConfig or what the Describe call says.

    Args:
        config: The configuration.
        counts: Whether first counts and weights of production variants are part of it; an endpoint can change them
            without another configuration.
    """
    content = _content(config)
    for family in _FAMILIES:
        if family in content:
            content[family] = sorted((_variant(each) for each in content[family]), key=itemgetter("VariantName"))
    if not counts:
        content["ProductionVariants"] = [
            {key: value for key, value in each.items() if key not in {"InitialInstanceCount", "InitialVariantWeight"}}
            for each in content["ProductionVariants"]
        ]
    return content


def models_of(config: Mapping[str, Any]) -> Iterator[str]:
    """Names of the models that a configuration's variants run, in the order of the variants."""
    for family in _FAMILIES:
        for variant in config.get(family, ()):
            if variant.get("ModelName"):
                yield variant["ModelName"]
            for pool in variant.get("InstancePools", ()):
                if pool.get("ModelNameOverride"):
                    yield pool["ModelNameOverride"]


def specifications_of(component: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The specifications of a component, one or several; of parameters or a description."""
    return component.get("Specifications") or [component.get("Specification") or {}]


def models_of_component(component: Mapping[str, Any]) -> Iterator[str]:
    """Names of the models that a component runs; of parameters or a description."""
    return (each["ModelName"] for each in specifications_of(component) if each.get("ModelName"))


def without_empty_model(value: Mapping[str, Any]) -> dict[str, Any]:
    """A variant or a specification in which the only model is not named."""
    return {key: item for key, item in value.items() if not (key == "ModelName" and not item)}


def with_models(value: Any, names: Mapping[str, str]) -> Any:
    """A new value in which models have other names.

    Args:
        value: A configuration or the specification of a component.
        names: The new name by the old one.
    """
    if isinstance(value, dict):
        return {
            key: names.get(item, item) if key in {"ModelName", "ModelNameOverride"} else with_models(item, names)
            for key, item in value.items()
        }
    return [with_models(item, names) for item in value] if isinstance(value, list) else value


def _content(described: Mapping[str, Any]) -> dict[str, Any]:
    # False is what absence means, and empty lists and maps say nothing.
    content = {
        key: value
        for key, value in described.items()
        if key not in _DESCRIPTIVE and value is not False and value is not None and value not in ([], {})
    }
    if "VpcConfig" in content:  # Two sets, which AWS writes as lists.
        content["VpcConfig"] = {key: sorted(ids) for key, ids in content["VpcConfig"].items()}
    return content


def _variant(variant: Mapping[str, Any]) -> dict[str, Any]:
    defaults: dict[str, Any] = {"InitialVariantWeight": 1.0}
    if "ServerlessConfig" not in variant:
        defaults["RoutingConfig"] = _RANDOM
    return {**defaults, **{key: value for key, value in variant.items() if value is not None and value is not False}}


def _container(container: Mapping[str, Any]) -> dict[str, Any]:
    """A container in one form: an archive in S3 is described both by its address and as a data source."""
    content = {key: value for key, value in container.items() if value not in (None, {}, [])}
    if content.get("Mode") == "SingleModel":
        del content["Mode"]
    archive = content.get("ModelDataSource", {}).get("S3DataSource", {})
    if archive.keys() == {"S3Uri", "S3DataType", "CompressionType"} and archive["CompressionType"] == "Gzip":
        del content["ModelDataSource"]
        content["ModelDataUrl"] = archive["S3Uri"]
    return content
