"""The fleets behind endpoints follow what the control plane has in force."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from warmroute.fleet import EngineRequest, prompt_blocks
from warmroute.local.data.failures import Refusal
from warmroute.local.engines import ContainerRefusal


def test_instances_as_many_as_are_in_force(world):
    assert [instance.id for instance in world.fleet().instances] == ["bot-1-1-main-0", "bot-1-1-main-1"]


def test_scaling_keeps_the_instances_that_stay(world):
    before = list(world.fleet().instances)

    world.change(variants=(replace(world.main, instance_count=3),))
    assert world.fleet().instances[:2] == before

    world.change(variants=(replace(world.main, instance_count=1),))
    assert world.fleet().instances == before[:1]


def test_every_deployment_is_a_new_fleet_even_of_the_same_names(world):
    before = list(world.fleet().instances)
    routing = {
        "RoutingStrategy": "PREFIX_AWARE",
        "PrefixAwareRoutingConfig": {"PrefixLength": 4_096, "ConcurrencyThreshold": 16},
    }

    world.change(deployment_serial=2, variants=(replace(world.main, model_environment={}, routing_config=routing),))
    after = world.fleet()
    assert not set(map(id, before)) & set(map(id, after.instances))
    assert not {instance.id for instance in before} & {instance.id for instance in after.instances}
    assert after.routing is not None


def test_a_component_that_runs_something_else_has_new_copies(world):
    world.change(components=(world.component,))
    before = list(world.fleet(component="llama").instances)

    world.change(components=(replace(world.component, serial=8),))
    after = world.fleet(component="llama").instances
    assert not set(map(id, before)) & set(map(id, after))
    assert not {copy.id for copy in before} & {copy.id for copy in after}


def test_scaling_a_component_keeps_the_copies_that_stay(world):
    world.change(components=(world.component,))
    before = list(world.fleet(component="llama").instances)

    world.change(components=(replace(world.component, copy_count=4),))
    assert world.fleet(component="llama").instances[:3] == before


def test_a_new_deployment_gives_components_new_copies_too(world):
    world.change(components=(world.component,))
    before = list(world.fleet(component="llama").instances)

    world.change(deployment_serial=2)
    assert not set(map(id, before)) & set(map(id, world.fleet(component="llama").instances))


def test_a_component_serves_while_it_is_updated(world):
    world.change(components=(world.component,))
    before = world.fleet(component="llama")

    world.change(components=(replace(world.component, status="Updating"),))
    assert world.fleet(component="llama").instances == before.instances


def test_fleets_of_what_is_deleted_are_forgotten(world):
    world.states["other"] = replace(world.states["bot"], name="other")
    kept = list(world.fleet().instances)
    world.fleet("other")
    del world.states["other"]

    world.states["third"] = replace(world.states["bot"], name="third")
    world.fleet("third")
    assert {name for _, _, name in world.fleets._known} == {"bot", "third"}
    assert world.fleet().instances == kept

    del world.states["third"]
    with pytest.raises(Refusal, match="Endpoint third of account 123456789012 not found"):
        world.fleet("third")
    assert {name for _, _, name in world.fleets._known} == {"bot"}


def test_weights_decide_the_variant_and_the_target_overrides_them(world):
    world.change(variants=(world.main, replace(world.main, name="other", weight=0.0)))

    assert {world.fleet().variant.name for _ in range(20)} == {"main"}
    assert world.fleet(variant="other").variant.name == "other"


def test_a_variant_is_chosen_where_no_variant_has_weight(world):
    world.change(variants=(replace(world.main, weight=0.0),))
    assert world.fleet().variant.name == "main"


@pytest.mark.parametrize(
    ("variant", "component", "wanted", "says"),
    [
        ({}, None, {"variant": "nope"}, "Variant nope is not part of endpoint bot. Variants: main."),
        ({}, None, {"component": "nope"}, "Inference component nope is not in service"),
        ({}, {}, {}, "No inference component is named on endpoint bot"),
        ({}, {"status": "Creating"}, {"component": "llama"}, "In service: none"),
        ({}, {"copy_count": 0}, {"component": "llama"}, "Inference component llama of endpoint bot has no copy now"),
        ({}, {"variant_name": "gone"}, {"component": "llama"}, "no longer has variant gone"),
        ({"instance_count": 0}, None, {}, "Variant main of endpoint bot has no instance now"),
        ({"instance_count": 0, "is_serverless": True}, None, {}, "is serverless, which is not simulated"),
    ],
)
def test_what_cannot_be_served_is_refused(world, variant, component, wanted, says):
    components = () if component is None else (replace(world.component, **component),)
    world.change(variants=(replace(world.main, **variant),), components=components)
    with pytest.raises(Refusal, match=says):
        world.to(**wanted)


def test_an_endpoint_that_does_not_serve_yet_says_so(world):
    world.change(status="Creating", variants=())
    with pytest.raises(Refusal, match="is Creating and does not serve yet"):
        world.to()


def test_a_component_without_its_variant_does_not_stop_the_others(world):
    lost = replace(world.component, name="lost", variant_name="gone")
    world.change(components=(world.component, lost))

    assert len(world.fleet(component="llama").instances) == 3


def test_each_copy_of_a_component_is_a_target_and_an_adapter_uses_those_of_its_base(world):
    adapter = replace(world.component, name="legal", base="llama", serial=9)
    world.change(components=(world.component, adapter))

    assert len(world.fleet(component="llama").instances) == 3
    assert world.fleet(component="legal") is world.fleet(component="llama")


def test_an_adapter_is_told_apart_from_its_base_and_from_earlier_ones_of_its_name(world):
    adapter = replace(world.component, name="legal", base="llama", serial=9)
    world.change(components=(world.component, adapter))
    assert world.to(component="llama").adapter == ""
    first = world.to(component="legal").adapter

    world.change(components=(world.component, replace(adapter, serial=10)))
    assert len({"", first, world.to(component="legal").adapter}) == 3


def test_an_instance_answers_with_every_token_and_remembers_the_prompt(world):
    instance = world.fleet().instances[0]
    prompt = prompt_blocks("a warm prefix " * 200)

    async def generate(request_id: str) -> list[tuple[int, int]]:
        return [step async for step in instance.engine.generate(EngineRequest(request_id, prompt, 5))]

    async def twice() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        return await generate("1"), await generate("2")

    cold, warm = asyncio.run(twice())
    assert sum(tokens for tokens, _ in cold) == sum(tokens for tokens, _ in warm) == 5
    assert cold[-1][1] == 0
    assert warm[-1][1] == instance.engine.cached_tokens(prompt) > 0


def test_a_request_that_is_given_up_leaves_the_engine(world):
    instance = world.fleet().instances[0]

    async def give_up_then_ask_again() -> int:
        stream = instance.engine.generate(EngineRequest("1", prompt_blocks("x" * 640), 10_000))
        await anext(stream)
        await stream.aclose()
        answer = instance.engine.generate(EngineRequest("1", prompt_blocks("y" * 640), 3))
        return sum([tokens async for tokens, _ in answer])

    assert asyncio.run(give_up_then_ask_again()) == 3


def test_an_impossible_request_is_the_container_s_error(world):
    instance = world.fleet().instances[0]

    async def ask() -> None:
        async for _ in instance.engine.generate(EngineRequest("1", prompt_blocks("x"), 10_000_000)):
            pass

    with pytest.raises(ContainerRefusal, match=r"context|KV cache|never"):
        asyncio.run(ask())
