from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from render.aws_models import schema
from render.specs import SPECS, WITHOUT_ROLE, demo, demo_variant, specs

from warmroute.render import UnsupportedByTargetError, to_cloudformation, to_terraform
from warmroute.render.awscc_names import attribute, resource_type
from warmroute.render.cloudformation import TYPES
from warmroute.render.resource import Kind

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec

META = {"lifecycle", "depends_on"}
"""Arguments of Terraform itself, which every resource takes."""


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        # Attributes of awscc 1.106.0.
        "Arn": "arn",
        "RoleARN": "role_arn",
        "KmsKeyId": "kms_key_id",
        "VolumeSizeInGB": "volume_size_in_gb",
        "MemorySizeInMB": "memory_size_in_mb",
        "MaxPayloadInMB": "max_payload_in_mb",
        "MinMemoryRequiredInMb": "min_memory_required_in_mb",
        "NumberOfCpuCoresRequired": "number_of_cpu_cores_required",
        "EnableSSMAccess": "enable_ssm_access",
        "S3DataSource": "s3_data_source",
        "S3Uri": "s3_uri",
        "DestinationS3Uri": "destination_s3_uri",
        "AcceptEula": "accept_eula",
        "InferenceAmiVersion": "inference_ami_version",
        "IncludeInferenceResponseIn": "include_inference_response_in",
        # Examples of the provider's own rule.
        "ETag": "e_tag",
        "AWS99Thing": "aws99_thing",
    }.items(),
)
def test_names_as_awscc_does(name, expected):
    assert attribute(name) == expected


def test_types_as_awscc_does():
    assert {resource_type(each) for each in TYPES.values()} == {
        "awscc_sagemaker_model",
        "awscc_sagemaker_endpoint_config",
        "awscc_sagemaker_endpoint",
        "awscc_sagemaker_inference_component",
        "awscc_applicationautoscaling_scalable_target",
        "awscc_applicationautoscaling_scaling_policy",
    }


def unknown(value: Any, part: dict[str, Any], root: dict[str, Any], path: str) -> list[str]:
    """Attributes below a value that CloudFormation's schema has no property for."""
    while "$ref" in part:
        part = root["definitions"][part["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [fault for item in value for fault in unknown(item, part["items"], root, path)]
    if not isinstance(value, dict) or "properties" not in part:
        return []
    known = {attribute(name): below for name, below in part["properties"].items()}
    found: list[str] = []
    for name, held in value.items():
        here = f"{path}.{name}"
        found += unknown(held, known[name], root, here) if name in known else [here]
    return found


def faults(spec: EndpointSpec) -> list[str]:
    kinds = {resource_type(type_): kind for kind, type_ in TYPES.items()}
    return [
        fault
        for type_, blocks in to_terraform(spec)["resource"].items()
        for name, block in blocks.items()
        for fault in unknown(
            {key: value for key, value in block.items() if key not in META},
            schema(kinds[type_]),
            schema(kinds[type_]),
            f"{type_}.{name}",
        )
    ]


@pytest.mark.parametrize("name", SPECS)
def test_every_attribute_is_a_property_of_the_schema(name):
    assert faults(SPECS[name]) == []


@given(specs())
@settings(max_examples=20, deadline=None)
def test_every_attribute_is_a_property_of_the_schema_in_any_spec(spec):
    assert faults(spec) == []


@pytest.mark.parametrize("name", SPECS)
def test_has_one_resource_for_each_of_the_template(name):
    rendered = to_terraform(SPECS[name])["resource"]
    template = to_cloudformation(SPECS[name])["Resources"]
    assert sum(len(blocks) for blocks in rendered.values()) == len(template)


@pytest.mark.parametrize("name", SPECS)
def test_every_reference_names_a_resource(name):
    configuration = to_terraform(SPECS[name])
    addresses = {f"{type_}.{each}" for type_, blocks in configuration["resource"].items() for each in blocks}
    text = json.dumps(configuration)
    referred = {
        ".".join(each.split("}")[0].split(".")[:2]) for each in text.split("${")[1:] if each.startswith("awscc")
    }
    assert referred
    assert referred <= addresses
    awaited = {
        each
        for blocks in configuration["resource"].values()
        for block in blocks.values()
        for each in block.get("depends_on", ())
    }
    assert awaited <= addresses


def test_new_models_and_configurations_are_made_before_the_old_ones_go():
    for type_, blocks in to_terraform(SPECS["everything"])["resource"].items():
        replaced = type_ in {"awscc_sagemaker_model", "awscc_sagemaker_endpoint_config"}
        for block in blocks.values():
            assert block.get("lifecycle") == ({"create_before_destroy": True} if replaced else None)


def test_refers_by_attribute():
    rendered = to_terraform(SPECS["autoscaled"])["resource"]
    variants = rendered["awscc_sagemaker_endpoint_config"]["endpoint_config"]["production_variants"]
    assert variants[0]["model_name"] == "${awscc_sagemaker_model.model.model_name}"
    assert variants[2]["model_name"] == "made-elsewhere"
    (target,) = (
        block
        for name, block in rendered["awscc_applicationautoscaling_scalable_target"].items()
        if name.startswith("scalable_target_variant_main_")
    )
    assert target["resource_id"] == "endpoint/${awscc_sagemaker_endpoint.endpoint.endpoint_name}/variant/main"


def test_the_environment_of_a_model_is_json_and_that_of_a_component_a_mapping():
    everything = to_terraform(SPECS["everything"])["resource"]["awscc_sagemaker_model"]
    (large,) = (block for name, block in everything.items() if name.startswith("model_large_"))
    environment = json.loads(large["primary_container"]["environment"])
    assert environment["HF_HUB_OFFLINE"] == "1"
    components = to_terraform(SPECS["components"])["resource"]["awscc_sagemaker_inference_component"]
    (foreign,) = (block for name, block in components.items() if "_foreign_" in name)
    assert foreign["specification"]["container"]["environment"] == {"A_KEY": "$${HOME} %%{x}"}


def test_a_missing_role_is_a_variable():
    configuration = to_terraform(WITHOUT_ROLE)
    assert configuration["variable"].keys() == {"execution_role_arn"}
    model = configuration["resource"]["awscc_sagemaker_model"]["model"]
    assert model["execution_role_arn"] == "${var.execution_role_arn}"


def test_the_provider_works_in_the_region_of_the_endpoint():
    assert to_terraform(SPECS["demo"])["provider"] == {"awscc": {"region": "us-east-1"}}
    assert to_terraform(SPECS["demo"], region="eu-west-1")["provider"] == {"awscc": {"region": "eu-west-1"}}


def test_refuses_what_awscc_has_no_place_for():
    variant = demo_variant(routing_config={"routing_strategy": "KV_AWARE"})
    with pytest.raises(UnsupportedByTargetError, match="KV_AWARE"):
        to_terraform(demo(variants=[variant]))


def test_model_and_configuration_stay_unnamed():
    rendered = to_terraform(SPECS["demo"])["resource"]
    assert "model_name" not in rendered[resource_type(TYPES[Kind.MODEL])]["model"]
    assert "endpoint_config_name" not in rendered[resource_type(TYPES[Kind.ENDPOINT_CONFIG])]["endpoint_config"]
