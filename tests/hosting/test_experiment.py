"""A spec with two variants that differ in routing alone."""

from __future__ import annotations

import pytest
from render.specs import SPECS, demo, demo_variant

from warmroute import InvalidSettingsError, RoutingConfig
from warmroute.hosting.experiment import with_routing_experiment

RANDOM = RoutingConfig.random()
PREFIX_AWARE = RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16)


def test_what_is_not_routing_stays_as_it_was():
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9}]
    before = demo(auto_scaling=scaling)
    after = with_routing_experiment(before, control=RANDOM, treatment=PREFIX_AWARE, treatment_weight=3)

    kept = before.variants[0].model_dump(exclude={"name", "routing_config", "initial_variant_weight"})
    for variant in after.variants:
        assert variant.model_dump(exclude={"name", "routing_config", "initial_variant_weight"}) == kept
    assert [(each.name, each.routing_config, each.initial_variant_weight) for each in after.variants] == [
        ("control", RANDOM, 1),
        ("treatment", PREFIX_AWARE, 3),
    ]
    assert [(each.variant_name, each.max_capacity) for each in after.auto_scaling] == [("control", 9), ("treatment", 9)]
    rest = {"variants", "auto_scaling"}
    assert after.model_dump(exclude=rest) == before.model_dump(exclude=rest)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (SPECS["autoscaled"], "variants: an experiment begins with one variant, not 3"),
        (SPECS["components"], "inference_components: requests choose an inference component"),
        (
            demo(shadow_variants=[demo_variant(name="candidate")]),
            "shadow_variants: an endpoint with two production variants takes no shadow",
        ),
    ],
)
def test_a_spec_that_does_not_fit_is_refused(spec, message):
    with pytest.raises(InvalidSettingsError, match=message):
        with_routing_experiment(spec, control=RANDOM, treatment=PREFIX_AWARE)


def test_two_ways_that_are_one_are_refused():
    with pytest.raises(InvalidSettingsError, match=r"both RANDOM\. Give two that differ"):
        with_routing_experiment(SPECS["demo"], control=RANDOM, treatment=RANDOM)


@pytest.mark.parametrize("weights", [{"control_weight": -1}, {"treatment_weight": float("nan")}])
def test_a_weight_must_be_a_number_from_zero_on(weights):
    with pytest.raises(InvalidSettingsError, match="initial_variant_weight"):
        with_routing_experiment(SPECS["demo"], control=RANDOM, treatment=PREFIX_AWARE, **weights)
