"""Endpoint configurations: immutable descriptions of variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.errors import InvalidSettingsError
from warmroute.local.control.clock import moment
from warmroute.local.control.listing import list_page
from warmroute.local.control.models import Model
from warmroute.local.control.refusals import RefusedError
from warmroute.local.control.registry import Resource
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warmroute.local.control.registry import Registry, Request, Response

SERVERLESS_MEMORY_IN_MB = range(1_024, 6_144 + 1, 1_024)
"""Source: botocore ``ProductionVariantServerlessConfig.MemorySizeInMB``: 1 to 6 GB, in steps of 1 GB."""

_CAPACITIES = ("InstanceType", "InstancePools", "ServerlessConfig")
_FAMILIES = ("ProductionVariants", "ShadowProductionVariants")


@dataclass(eq=False)
class EndpointConfig(Resource):
    """An endpoint configuration, as it was asked for."""

    kind: ClassVar[str] = "endpoint configuration"
    arn_kind: ClassVar[str] = "endpoint-config"

    request: Request


def create_endpoint_config(registry: Registry, request: Request) -> Response:
    """Make an endpoint configuration."""
    name = request["EndpointConfigName"]
    arn = registry.new_arn(EndpointConfig, name, registry.endpoint_configs)
    _check_families(request)
    for path, variant in _variants(request):
        _check_capacity(path, variant)
        _check_routing(path, variant)
        if variant.get("ModelName"):
            registry.find(Model, variant["ModelName"], registry.models)
    kept = {key: value for key, value in request.items() if key != "Tags"}
    tags = list(request.get("Tags", ()))
    registry.endpoint_configs[name] = EndpointConfig(name, arn, registry.clock.now(), tags, kept)
    return {"EndpointConfigArn": arn}


def describe_endpoint_config(registry: Registry, request: Request) -> Response:
    """An endpoint configuration, as it was asked for."""
    config = registry.find(EndpointConfig, request["EndpointConfigName"], registry.endpoint_configs)
    described = {
        "EnableNetworkIsolation": False,
        **config.request,
        "EndpointConfigArn": config.arn,
        "CreationTime": moment(config.creation_time),
    }
    for family in _FAMILIES:
        if family in described:
            described[family] = [{"InitialVariantWeight": 1.0, **variant} for variant in described[family]]
    return described


def list_endpoint_configs(registry: Registry, request: Request) -> Response:
    """The endpoint configurations of the account."""
    return list_page(registry.endpoint_configs.values(), request, into="EndpointConfigs", summary=_summary)


def delete_endpoint_config(registry: Registry, request: Request) -> Response:
    """Forget an endpoint configuration that no endpoint uses.

    SageMaker's documentation only warns against deleting one in use; here it is refused.
    """
    config = registry.find(EndpointConfig, request["EndpointConfigName"], registry.endpoint_configs)
    for endpoint in registry.endpoints.values():
        if endpoint.uses(config):
            raise RefusedError(
                f'Cannot delete endpoint configuration "{config.arn}": '
                f'endpoint "{endpoint.arn}" has it in force or is moving to it.'
            )
    del registry.endpoint_configs[config.name]
    return {}


def _check_families(request: Request) -> None:
    production, shadow = (request.get(family, []) for family in _FAMILIES)
    if shadow and (len(production), len(shadow)) != (1, 1):
        raise RefusedError(
            "With ShadowProductionVariants there are exactly one production variant and one shadow variant; "
            f"the request has {len(production)} and {len(shadow)}."
        )
    names = [variant["VariantName"] for _, variant in _variants(request)]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise RefusedError(f"Variant names must be unique; {', '.join(repeated)} appears more than once.")


def _check_capacity(path: str, variant: Request) -> None:
    given = [capacity for capacity in _CAPACITIES if variant.get(capacity)]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise RefusedError(f"{path}: a variant has exactly one of {', '.join(_CAPACITIES)}; this one has {found}.")
    serverless = variant.get("ServerlessConfig")
    if serverless and serverless["MemorySizeInMB"] not in SERVERLESS_MEMORY_IN_MB:
        choices = ", ".join(map(str, SERVERLESS_MEMORY_IN_MB))
        raise RefusedError(f"{path}.ServerlessConfig.MemorySizeInMB is none of {choices}.")


def _check_routing(path: str, variant: Request) -> None:
    if variant.get("RoutingConfig") is None:
        return
    try:
        RoutingConfig.parse(variant["RoutingConfig"], name=f"{path}.RoutingConfig")
    except InvalidSettingsError as error:
        raise RefusedError(str(error)) from None


def _variants(request: Request) -> Iterator[tuple[str, dict[str, Any]]]:
    for family in _FAMILIES:
        variants: Sequence[dict[str, Any]] = request.get(family, [])
        for number, variant in enumerate(variants):
            yield f"{family}[{number}]", variant


def _summary(config: EndpointConfig) -> dict[str, Any]:
    return {
        "EndpointConfigName": config.name,
        "EndpointConfigArn": config.arn,
        "CreationTime": moment(config.creation_time),
    }
