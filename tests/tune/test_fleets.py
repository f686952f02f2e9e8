from __future__ import annotations

import pytest

from warmroute.demo import example_spec, example_spec_text
from warmroute.errors import IncompleteSpecError, WarmrouteError
from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.routing import RoutingConfig
from warmroute.routing_strategy import RoutingStrategy
from warmroute.tune.fleets import BUILT_IN_PROFILE, engine_profile, fleet_of, routing_of

AWARE = RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16)


def two_variants(**second: object) -> EndpointSpec:
    spec = example_spec()
    other = spec.variants[0].model_copy(update={"name": "other", **second})
    return spec.model_copy(update={"variants": (*spec.variants, other)})


def test_a_spec_tells_instances_engine_and_routing() -> None:
    found = fleet_of(example_spec())

    assert (found.config.instances, found.config.copies_per_instance, found.variant) == (7, 1, 0)
    assert found.config.profile.max_num_seqs == 64
    assert found.config.routing == AWARE
    assert found.notes == ()


def test_another_instance_type_is_told_unless_a_profile_is_given() -> None:
    spec = parse_spec(example_spec_text().replace("ml.p5.48xlarge\n", "ml.p5e.48xlarge\n"))

    assert "ml.p5e.48xlarge are not: times will differ" in fleet_of(spec).notes[0]
    assert fleet_of(spec, profile=engine_profile(BUILT_IN_PROFILE)).notes == ()


def test_of_several_variants_one_is_named_or_the_only_one_that_routes_by_prefix() -> None:
    spec = two_variants(routing_config=None)
    assert fleet_of(spec).variant == 0
    assert fleet_of(spec, variant="other").variant == 1
    with pytest.raises(IncompleteSpecError, match="Name one with --variant: main, other"):
        fleet_of(two_variants())
    with pytest.raises(IncompleteSpecError, match="there is no variant main2"):
        fleet_of(spec, variant="main2")


def test_a_variant_without_a_number_of_instances_is_refused() -> None:
    spec = two_variants(routing_config=None, initial_instance_count=None)
    with pytest.raises(IncompleteSpecError, match=r"variants\[1\]\.initial_instance_count: variant other tells no"):
        fleet_of(spec, variant="other")


def test_options_replace_values_of_a_routing() -> None:
    assert routing_of(None, None, None, None) == RoutingConfig.random()
    assert routing_of(AWARE, None, None, None) == AWARE
    assert routing_of(AWARE, None, 8_192, None) == RoutingConfig.prefix_aware(
        prefix_length=8_192, concurrency_threshold=16
    )
    assert routing_of(AWARE, RoutingStrategy.KV_AWARE, None, None) == RoutingConfig.kv_aware()
    with pytest.raises(WarmrouteError, match="needs a prefix length and a threshold"):
        routing_of(None, None, 8_192, None)
    with pytest.raises(WarmrouteError, match="prefix_length: 0 is below"):
        routing_of(AWARE, None, 0, None)
    with pytest.raises(WarmrouteError, match="RANDOM takes neither"):
        routing_of(None, RoutingStrategy.RANDOM, 8_192, None)


def shared(*copies: int | None) -> EndpointSpec:
    """Two instances with a component for each number of copies; an adapter where it is none."""
    needs = {"compute_resource_requirements": {"min_memory_required_in_mb": 1_024}}
    adapter = {"base_inference_component_name": "c0", "container": {"artifact_url": "s3://models/a.tar.gz"}}
    return EndpointSpec.parse(
        {
            **example_spec().model_dump(exclude_none=True),
            "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
            "inference_components": [
                {"name": f"c{number}", "specification": adapter}
                if many is None
                else {"name": f"c{number}", "specification": needs, "runtime_config": {"copy_count": many}}
                for number, many in enumerate(copies)
            ],
        }
    )


@pytest.mark.parametrize(("copies", "on_each"), [(1, 1), (2, 1), (4, 2), (5, 3)])
def test_copies_of_a_component_are_spread_over_the_instances(copies: int, on_each: int) -> None:
    assert fleet_of(shared(copies, None)).config.copies_per_instance == on_each


def test_components_that_share_a_variant_are_tuned_one_at_a_time() -> None:
    with pytest.raises(IncompleteSpecError, match="2 of them share variant main"):
        fleet_of(shared(2, 2))
