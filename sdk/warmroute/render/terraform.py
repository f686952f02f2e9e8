"""A spec as a Terraform configuration in JSON, for the awscc provider."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from warmroute.render.awscc_names import attribute, resource_type
from warmroute.render.cloudformation import ROLE_PARAMETER, TYPES, logical_id, to_cloudformation
from warmroute.render.resource import FREE_KEYS, Kind, Ref

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec

AWSCC_VERSION = ">= 1.106.0"
"""Versions of the provider that know every attribute written here.

1.101.0 is the first that takes ``endpoint_name``, 1.103.0 has ``prefix_aware_routing_config``, 1.106.0 has ``tags`` of
scalable targets. Source: the provider's schema as in the prebuilt bindings cdktn-provider-awscc.
"""


def to_terraform(spec: EndpointSpec, *, region: str | None = None) -> dict[str, Any]:
    """A configuration of an endpoint and everything that belongs to it, as ``main.tf.json`` holds it.

    It is CloudFormation's template in the words of awscc, which the provider turns back into CloudFormation's types.
    New models and configurations are made before the old ones go, so that the endpoint always has one.

    Args:
        spec: The spec.
        region: Region of the endpoint, instead of the spec's own.

    Raises:
        UnsupportedByTargetError: CloudFormation, and so awscc, has no property for a setting.
        IncompleteSpecError: The region of an image is not known.
        InvalidSettingsError: AWS has no such image in the region.
    """
    template = to_cloudformation(spec, region=region)
    addresses = {
        name: f"{resource_type(entry['Type'])}.{attribute(name)}" for name, entry in template["Resources"].items()
    }
    resources: dict[str, dict[str, Any]] = {}
    for name, entry in template["Resources"].items():
        resources.setdefault(resource_type(entry["Type"]), {})[attribute(name)] = _block(entry, addresses)
    where = region or spec.region
    endpoint = addresses[logical_id(Ref(Kind.ENDPOINT))]
    return {
        "terraform": {"required_providers": {"awscc": {"source": "hashicorp/awscc", "version": AWSCC_VERSION}}},
        **({"provider": {"awscc": {"region": where}}} if where else {}),
        **({"variable": _variables(template["Parameters"])} if "Parameters" in template else {}),
        "resource": resources,
        "output": {
            "endpoint_name": {
                "description": "Name of the endpoint, for InvokeEndpoint.",
                "value": f"${{{endpoint}.endpoint_name}}",
            },
            "endpoint_arn": {
                "description": "ARN of the endpoint, for policies.",
                "value": f"${{{endpoint}.endpoint_arn}}",
            },
        },
    }


_IMMUTABLE = {TYPES[Kind.MODEL], TYPES[Kind.ENDPOINT_CONFIG]}


def _block(entry: dict[str, Any], addresses: dict[str, str]) -> dict[str, Any]:
    block = _attributes(entry["Properties"], addresses)
    if entry["Type"] == TYPES[Kind.MODEL]:
        _write_environments(block)
    if entry["Type"] in _IMMUTABLE:
        block["lifecycle"] = {"create_before_destroy": True}
    if "DependsOn" in entry:
        block["depends_on"] = [addresses[name] for name in entry["DependsOn"]]
    return block


def _attributes(properties: dict[str, Any], addresses: dict[str, str]) -> dict[str, Any]:
    return {
        attribute(name): _free(value) if name in FREE_KEYS else _value(value, addresses)
        for name, value in properties.items()
    }


def _value(value: Any, addresses: dict[str, str]) -> Any:
    match value:
        case {"Ref": _} | {"Fn::GetAtt": _} | {"Fn::Sub": _}:
            return _expression(value, addresses)
        case dict():
            return _attributes(value, addresses)
        case list():
            return [_value(item, addresses) for item in value]
        case str():
            return _literal(value)
    return value


def _expression(value: dict[str, Any], addresses: dict[str, str]) -> str:
    match value:
        case {"Fn::GetAtt": [name, property_name]}:
            return f"${{{addresses[name]}.{attribute(property_name)}}}"
        case {"Fn::Sub": text}:
            return _SUBSTITUTED.sub(lambda found: f"${{{addresses[found[1]]}.{attribute(found[2])}}}", text)
    return f"${{var.{attribute(value['Ref'])}}}"


_SUBSTITUTED = re.compile(r"\$\{(\w+)\.(\w+)\}")


def _free(value: dict[str, str]) -> dict[str, str]:
    return {key: _literal(text) for key, text in value.items()}


def _write_environments(block: dict[str, Any]) -> None:
    """The environment of a model's container is JSON in awscc; that of a component is a mapping.

    Source: ``environment (String)`` and ``environment (Map of String)`` in the provider's documentation.
    """
    for container in [block.get("primary_container", {}), *block.get("containers", ())]:
        if "environment" in container:
            container["environment"] = json.dumps(container["environment"], sort_keys=True)


def _literal(text: str) -> str:
    """Text that Terraform takes as it is, rather than as a template."""
    return text.replace("${", "$${").replace("%{", "%%{")


def _variables(parameters: dict[str, Any]) -> dict[str, Any]:
    role = parameters[ROLE_PARAMETER]
    return {attribute(ROLE_PARAMETER): {"type": "string", "description": role["Description"]}}
