from __future__ import annotations

import pytest

from warmroute.api_model import service_model
from warmroute.local.control.constraints import refuse_violations
from warmroute.local.control.refusals import RefusedError


def variant(**changes):
    return {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 1} | changes


def test_every_instance_type_of_the_api_is_allowed():
    known = service_model().shape_for("ProductionVariantInstanceType").enum
    assert "ml.p5.48xlarge" in known
    for instance_type in known:
        refuse_violations(
            "CreateEndpointConfig",
            {"EndpointConfigName": "config", "ProductionVariants": [variant(InstanceType=instance_type)]},
        )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"InstanceType": "ml.p99.large"}, "'productionVariants.1.member.instanceType' failed .* enum value set"),
        ({"InitialInstanceCount": 0}, "value greater than or equal to 1"),
        ({"InitialInstanceCount": "2"}, "must be of type integer"),
        ({"InitialInstanceCount": True}, "must be of type integer"),
        ({"VolumeSizeInGB": 513}, "value less than or equal to 512"),
        ({"VariantName": None}, "Value null at 'productionVariants.1.member.variantName'"),
        ({"VariantName": "not_allowed"}, "regular expression pattern"),
        ({"VariantName": "v" * 64}, "length less than or equal to 63"),
        ({"InstancePools": [{"InstanceType": "ml.p99", "Priority": 1}]}, "instancePools.1.member.instanceType"),
    ],
)
def test_what_the_api_model_forbids_is_refused(changes, said):
    with pytest.raises(RefusedError, match=said) as refused:
        refuse_violations(
            "CreateEndpointConfig", {"EndpointConfigName": "config", "ProductionVariants": [variant(**changes)]}
        )
    assert refused.value.code == "ValidationException"


def test_all_violations_are_told_at_once():
    with pytest.raises(RefusedError, match=r"^2 validation errors detected: .*; "):
        refuse_violations("CreateEndpoint", {"EndpointName": "not_allowed"})


def test_environment_variables_are_checked_key_and_value():
    container = {"Image": "image", "Environment": {"1BAD": "x" * 1_025}}
    with pytest.raises(RefusedError, match=r"environment\.key.*environment\.1BAD\.member"):
        refuse_violations("CreateModel", {"ModelName": "model", "PrimaryContainer": container})


def test_a_pattern_that_python_cannot_read_does_not_stop_a_request():
    tags = [{"Key": "größe", "Value": "L"}]
    refuse_violations("CreateModel", {"ModelName": "model", "Tags": tags})
