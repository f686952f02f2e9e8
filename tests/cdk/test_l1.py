"""What the L1 constructs know: settings that CloudFormation lacks are refused, and the day it has them is noticed."""

from __future__ import annotations

import pytest
from aws_cdk import App, Stack
from cdk.synthesis import endpoint_of
from render.specs import DRAFTED, MIG, TYPED, demo, demo_variant

from warmroute.render import UnsupportedByTargetError
from warmroute.render.cloudformation_gaps import MISSING_PROPERTIES
from warmroute.render.resource import Kind
from warmroute_cdk.l1 import L1_CLASSES, create, known_property

TRAFFIC = {"max_invocations_per_second_per_instance": 5, "max_cross_region_percent_per_endpoint": 10}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (demo(variants=[demo_variant(routing_config={"routing_strategy": "KV_AWARE"})]), "RoutingStrategy"),
        (demo(cross_region_traffic_config=TRAFFIC), "EndpointConfig.CrossRegionTrafficConfig"),
        (MIG, r"EndpointConfig.ProductionVariants\[0\].AcceleratorPartitionLayouts"),
        (TYPED, "InferenceComponent.Specification.InstanceType"),
        (DRAFTED, "Model.PrimaryContainer.AdditionalModelDataSources"),
    ],
)
def test_what_cloudformation_does_not_know_is_refused_with_when_that_was_checked(spec, path):
    with pytest.raises(UnsupportedByTargetError, match=rf"^Test/Bot: .*{path}.* \(CloudFormation's schemas of 2026-"):
        endpoint_of(spec)


ENDED = "AcceleratorType"
"""Of Elastic Inference, which AWS has ended: the CDK's construct still has it, CloudFormation does not."""


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        (kind, path)
        for kind, paths in MISSING_PROPERTIES.items()
        for path in sorted(paths)
        if path.rpartition(".")[2] != ENDED
    ],
)
def test_the_constructs_still_lack_what_cloudformation_lacks(kind, path):
    assert not known_property(kind, path), f"aws-cdk-lib knows {kind}.{path}: look whether CloudFormation does too."


def test_the_constructs_know_everything_else_of_a_variant():
    assert known_property(
        Kind.ENDPOINT_CONFIG, "ProductionVariants.RoutingConfig.PrefixAwareRoutingConfig.PrefixLength"
    )
    assert known_property(Kind.ENDPOINT_CONFIG, "ProductionVariants.EnableSSMAccess")
    assert known_property(Kind.ENDPOINT_CONFIG, "ProductionVariants.VolumeSizeInGB")


def test_a_property_that_an_older_aws_cdk_lib_lacks_is_refused_rather_than_dropped():
    stack = Stack(App(), "Test")
    with pytest.raises(UnsupportedByTargetError, match=r"Endpoint\.DeploymentConfig\.Nonsense: .*aws-cdk-lib \d"):
        create(
            stack,
            "Endpoint",
            Kind.ENDPOINT,
            {"EndpointConfigName": "a", "DeploymentConfig": {"Nonsense": 1}},
        )


def test_every_kind_of_resource_has_a_construct():
    assert L1_CLASSES.keys() == set(Kind)
