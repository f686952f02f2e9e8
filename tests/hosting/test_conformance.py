"""Every class that claims a shape of botocore's has its fields, requirements, ranges, forms and choices."""

from __future__ import annotations

import re
import unicodedata

import pytest
from botocore.model import ServiceModel
from hosting.shapes import Claim, claims, description, differences, doctored, settings_classes
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, TypeAdapter

import warmroute.hosting
from warmroute.hosting import EndpointSpec, MetricsConfig, ProductionVariant, ServerlessConfig
from warmroute.hosting.instance_types import INSTANCE_TYPES
from warmroute.hosting.scaling import COMPONENT_METRICS, VARIANT_METRICS, PredefinedMetric
from warmroute.hosting.tags import Tags
from warmroute.routing import (
    MAX_CONCURRENCY_THRESHOLD,
    MAX_PREFIX_AWARE_ID_LENGTH,
    MAX_PREFIX_LENGTH,
    MIN_CONCURRENCY_THRESHOLD,
    MIN_PREFIX_LENGTH,
    PrefixAwareRoutingConfig,
    RoutingConfig,
)
from warmroute.routing_strategy import RoutingStrategy
from warmroute.settings import Settings

CLASSES = settings_classes()
CLAIMS = claims(CLASSES)
TAGS = TypeAdapter(Tags, config=ConfigDict(regex_engine="python-re"))
SHAPES_OF = {claim.cls: {claim.shape} for claim in CLAIMS}

OURS_ALONE = {"AutoScaling", "EndpointSpec", "Image", "ModelSource", "SilencedCheck", "VllmContainer", "VllmSettings"}

ON_PURPOSE = {
    # Documented as required, and of no use when absent.
    "Alarm": ["AlarmName: required here only"],
    "AutoRollbackConfig": ["Alarms: required here only"],
    "PrefixAwareRoutingConfig": [
        "ConcurrencyThreshold: required here only",
        "PrefixLength: required here only",
    ],
    # The pattern already asks for one character.
    "ContainerDefinition": ["InferenceSpecificationName: min 0 characters, not 1"],
    # An instance type that is newer than this release gets a warning, not an error.
    "ComponentSpecification": ["InstanceType: not a choice"],
    "InstancePool": ["InstanceType: not a choice"],
    "ProductionVariant": ["InstanceType: not a choice"],
    # The service model documents these values without listing them.
    "MetricsConfig": ["MetricPublishFrequencyInSeconds: only [10, 30, 60, 120, 180, 240, 300]"],
    "MetricsEndpoint": ["MetricPublishFrequencyInSeconds: only [10, 30, 60, 120, 180, 240, 300]"],
    "ServerlessConfig": ["MemorySizeInMB: only [1024, 2048, 3072, 4096, 5120, 6144]"],
    # The name is the key under which a spec holds the model; the endpoint is the spec's own.
    "Model": ["ModelName: missing", "Tags: object, not a list"],
    "InferenceComponent": [
        "DeploymentConfig: not in botocore",  # It is in UpdateInferenceComponentInput.
        "EndpointName: missing",
        "Tags: object, not a list",
    ],
    # One predefined metric, without the structure around it.
    "TargetTracking": [
        "PredefinedMetricType: not in botocore",
        "CustomizedMetricSpecification: missing",
        "PredefinedMetricSpecification: missing",
        "ScaleInCooldown: min 0, not None",
        "ScaleOutCooldown: min 0, not None",
        "TargetValue: above 0",
    ],
}


def shape_of(name: str, service: str = "sagemaker"):
    return ServiceModel(description(service), service).shape_for(name)


def names_of(claim: Claim) -> str:
    return claim.cls.__name__


def test_every_class_claims_a_shape_or_is_our_own():
    assert {cls.__name__ for cls in CLASSES} - {names_of(claim) for claim in CLAIMS} == OURS_ALONE


def test_every_exported_class_of_settings_is_compared():
    exported = {getattr(warmroute.hosting, name) for name in warmroute.hosting.__all__}
    assert {each for each in exported if isinstance(each, type) and issubclass(each, Settings)} <= CLASSES


@pytest.mark.parametrize("claim", CLAIMS, ids=names_of)
def test_a_class_holds_its_shape(claim):
    found = differences(claim.cls, shape_of(claim.shape, claim.service), SHAPES_OF)
    assert found == ON_PURPOSE.get(names_of(claim), [])


def test_no_exception_outlives_its_class():
    assert ON_PURPOSE.keys() <= {names_of(claim) for claim in CLAIMS}


FIELD = {"shape": "String2048"}


@pytest.mark.parametrize(
    ("cls", "changes", "line"),
    [
        (
            PrefixAwareRoutingConfig,
            {"PrefixAwareRoutingConfig": {"members": {"Salt": FIELD}}},
            "Salt: missing",
        ),
        (
            RoutingConfig,
            {"RoutingStrategy": {"enum": [*RoutingStrategy, "STICKY"]}},
            "RoutingStrategy: choices ['STICKY'] on one side only",
        ),
        (
            PrefixAwareRoutingConfig,
            {"PrefixAwareRoutingPrefixLength": {"max": 131_072}},
            "PrefixLength: max 65536, not 131072",
        ),
        (ProductionVariant, {"InstancePoolList": {"max": 6}}, "InstancePools: max 5 items, not 6"),
        (ProductionVariant, {"VariantName": {"max": 64}}, "VariantName: max 63 characters, not 64"),
        (
            ProductionVariant,
            {"ModelName": {"pattern": "[a-z]+"}},
            r"ModelName: pattern \A(?:[a-zA-Z0-9]([\-a-zA-Z0-9]*[a-zA-Z0-9])?)\Z, not [a-z]+",
        ),
        (
            warmroute.hosting.ContainerDefinition,
            {"EnvironmentMap": {"max": 200}},
            "Environment: max 100 entries, not 200",
        ),
        (
            warmroute.hosting.ContainerDefinition,
            {"EnvironmentValue": {"max": 4_096}},
            "Environment{value}: max 1024 characters, not 4096",
        ),
        (RoutingConfig, {"ProductionVariantRoutingConfig": {"required": []}}, "RoutingStrategy: required here only"),
        (MetricsConfig, {"EnableEnhancedMetrics": {"type": "string"}}, "EnableEnhancedMetrics: boolean, not text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_comparison_notices_what_aws_changes(cls, changes, line):
    (shape_name,) = SHAPES_OF[cls]
    assert line not in ON_PURPOSE.get(cls.__name__, [])
    assert set(changes) <= description("sagemaker")["shapes"].keys()
    changed = doctored("sagemaker", **changes).shape_for(shape_name)
    assert line in differences(cls, changed, SHAPES_OF)


def test_the_spec_has_every_field_of_an_endpoint_and_its_configuration():
    theirs = shape_of("CreateEndpointConfigInput").members | shape_of("UpdateEndpointInput").members
    ours = {field.serialization_alias for field in EndpointSpec.model_fields.values()}
    assert ours - theirs.keys() == {"Region", "Model", "Models", "InferenceComponents", "AutoScaling", "Silence"}
    left_out = {"EndpointConfigName", "ExcludeRetainedVariantProperties", "RetainDeploymentConfig"}
    assert theirs.keys() - ours == left_out


@pytest.mark.parametrize("operation", ["CreateEndpointConfigInput", "UpdateEndpointInput"])
def test_the_fields_of_the_spec_hold_their_shapes(operation):
    lines = differences(EndpointSpec, shape_of(operation), SHAPES_OF)
    about_values = [line for line in lines if not line.endswith((": missing", ": not in botocore"))]
    assert about_values == (["Tags: object, not a list"] if operation == "CreateEndpointConfigInput" else [])


def test_tags_hold_their_shapes():
    schema = TAGS.json_schema()
    key, value, tags = shape_of("TagKey").metadata, shape_of("TagValue").metadata, shape_of("TagList").metadata
    ((pattern, values),) = schema["patternProperties"].items()
    assert schema["propertyNames"] == {"minLength": key["min"], "maxLength": key["max"]}
    assert (values["maxLength"], values["pattern"]) == (value["max"], pattern)
    assert key["pattern"] == value["pattern"] == r"([\p{L}\p{Z}\p{N}_.:/=+\-@]*)"
    assert len(TAGS.validate_python({f"{n}": "" for n in range(tags["max"])})) == tags["max"]
    with pytest.raises(ValueError, match="50"):
        TAGS.validate_python({f"{n}": "" for n in range(tags["max"] + 1)})


@given(st.characters())
def test_a_tag_has_the_characters_that_aws_takes(character):
    taken = unicodedata.category(character)[0] in {"L", "Z", "N"} or character in "_.:/=+-@"
    try:
        TAGS.validate_python({"key": character})
    except ValueError:
        assert not taken
    else:
        assert taken


def test_every_instance_type_of_sagemaker_has_the_form_that_is_asked_for():
    for name in shape_of("ProductionVariantInstanceType").enum:
        assert ProductionVariant(name="main", instance_type=name).instance_type == name


def test_the_list_of_instance_types_is_sagemakers():
    assert set(shape_of("ProductionVariantInstanceType").enum) == INSTANCE_TYPES


def test_documented_choices_are_those_of_the_documentation():
    frequency = shape_of("MetricsConfig").members["MetricPublishFrequencyInSeconds"]
    for seconds in (10, 30, 60, 120, 180, 240, 300):
        assert re.search(rf"\b{seconds}\b", frequency.documentation)
        assert MetricsConfig(metric_publish_frequency_in_seconds=seconds)
    memory = shape_of("ProductionVariantServerlessConfig").members["MemorySizeInMB"]
    for megabytes in range(memory.metadata["min"], memory.metadata["max"] + 1, 1_024):
        assert ServerlessConfig(memory_size_in_mb=megabytes, max_concurrency=1)


def test_predefined_metrics_are_those_of_application_auto_scaling():
    theirs = {name for name in shape_of("MetricType", "application-autoscaling").enum if name.startswith("SageMaker")}
    assert {*VARIANT_METRICS, *COMPONENT_METRICS} == theirs
    assert set(TypeAdapter(PredefinedMetric).json_schema()["enum"]) == theirs
    assert {name for name in theirs if "InferenceComponent" in name} == set(COMPONENT_METRICS)


def test_the_limits_of_routing_are_those_of_the_service_models():
    length = shape_of("PrefixAwareRoutingConfig").members["PrefixLength"].metadata
    assert (length["min"], length["max"]) == (MIN_PREFIX_LENGTH, MAX_PREFIX_LENGTH)
    threshold = shape_of("PrefixAwareRoutingConfig").members["ConcurrencyThreshold"].metadata
    assert (threshold["min"], threshold["max"]) == (MIN_CONCURRENCY_THRESHOLD, MAX_CONCURRENCY_THRESHOLD)
    id_ = shape_of("PrefixAwareIdHeader", "sagemaker-runtime").metadata
    assert id_ == {"min": 1, "max": MAX_PREFIX_AWARE_ID_LENGTH, "pattern": r"\A\S[\p{Print}]*\z"}
    assert set(RoutingStrategy) == set(shape_of("RoutingStrategy").enum)
