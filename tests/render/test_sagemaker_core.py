from __future__ import annotations

import json
import subprocess
import sys

import pytest
from render.specs import MIG, SPECS, demo, demo_variant
from sagemaker.core import resources, shapes
from sagemaker.core.utils.utils import serialize

from warmroute.errors import MissingExtraError
from warmroute.render import Call, Creation, UnsupportedByTargetError, to_boto3, to_sagemaker_core
from warmroute.render.resource import Kind


@pytest.mark.parametrize("name", [name for name in SPECS if name != "serverless"])
def test_sends_what_the_boto3_calls_send(name, monkeypatch):
    sent = []

    class Client:
        def __getattr__(self, operation):
            return lambda **parameters: sent.append(Call("sagemaker", operation, parameters)) or {}

    monkeypatch.setattr(resources.Base, "get_sagemaker_client", lambda **_: Client())
    for kind in ("Model", "EndpointConfig", "Endpoint", "InferenceComponent"):
        monkeypatch.setattr(getattr(resources, kind), "get", lambda **_: None)
    rendered = to_sagemaker_core(SPECS[name])
    for each in rendered:
        if isinstance(each, Creation):
            each.create()
    scaling = [each for each in rendered if isinstance(each, Call)]
    assert sent + scaling == to_boto3(SPECS[name])


def test_arguments_are_shapes():
    model, configuration, endpoint = to_sagemaker_core(SPECS["demo"])
    assert model.resource is resources.Model
    assert isinstance(model.arguments["primary_container"], shapes.ContainerDefinition)
    assert configuration.resource is resources.EndpointConfig
    (variant,) = configuration.arguments["production_variants"]
    assert isinstance(variant, shapes.ProductionVariant)
    assert variant.routing_config.prefix_aware_routing_config.prefix_length == 4_096
    assert endpoint.arguments["endpoint_name"] == "support-bot"


def test_can_be_printed_as_json():
    printed = json.loads(json.dumps([each.as_dict() for each in to_sagemaker_core(SPECS["autoscaled"])]))
    assert [each.get("resource") or each["operation"] for each in printed] == [
        "Model",
        "Model",
        "EndpointConfig",
        "Endpoint",
        "register_scalable_target",
        "put_scaling_policy",
        "register_scalable_target",
    ]
    variant = printed[2]["arguments"]["production_variants"][0]
    assert variant["routing_config"] == {"routing_strategy": "RANDOM"}


@pytest.mark.parametrize("kind", [kind for kind in Kind if not kind.startswith("Scal")])
def test_has_a_class_for_every_kind_of_sagemaker(kind):
    assert hasattr(resources, kind)


@pytest.mark.parametrize(
    ("spec", "path", "reason"),
    [
        (
            demo(variants=[demo_variant(enable_ssm_access=False)]),
            "EndpointConfig.ProductionVariants[0].EnableSSMAccess",
            "would send None instead of False",
        ),
        (
            demo(metrics_config={"enable_detailed_observability": False}),
            "EndpointConfig.MetricsConfig.EnableDetailedObservability",
            "would send None instead of False",
        ),
        (
            SPECS["serverless"],
            "EndpointConfig.ProductionVariants[0].ServerlessConfig.MemorySizeInMB",
            "would send None instead of 4096",
        ),
        (
            demo(
                cross_region_traffic_config={
                    "max_invocations_per_second_per_instance": 5,
                    "max_cross_region_percent_per_endpoint": 10,
                }
            ),
            "EndpointConfig.CrossRegionTrafficConfig",
            "no such field",
        ),
        (
            MIG,
            "EndpointConfig.ProductionVariants[0].accelerator_partition_layouts",
            "no such field",
        ),
        (
            demo(variants=[demo_variant(initial_variant_weight=0.0)]),
            "EndpointConfig.ProductionVariants[0].InitialVariantWeight",
            "would send None instead of 0.0",
        ),
    ],
)
def test_refuses_what_would_be_lost_on_the_way(spec, path, reason):
    with pytest.raises(UnsupportedByTargetError, match=reason) as caught:
        to_sagemaker_core(spec)
    assert caught.value.path == path
    assert "sagemaker-core 2." in str(caught.value)


def test_sagemaker_core_still_drops_false_inside_shapes():
    # When this fails, the refusals above have become needless and go away by themselves.
    assert serialize(shapes.MetricsConfig(enable_enhanced_metrics=False)) == {}


def test_says_which_extra_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sagemaker.core", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[sagemaker\]"):
        to_sagemaker_core(SPECS["demo"])


def test_importing_the_room_imports_neither_sagemaker_nor_botocore():
    code = "import sys, warmroute.render; print(sorted({'sagemaker', 'boto3', 'botocore'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
