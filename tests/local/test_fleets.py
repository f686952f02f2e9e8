"""The fleets behind endpoints follow what the control plane has in force."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from warmroute.fleet import EngineRequest, prompt_blocks
from warmroute.local.control import ComponentState, EndpointState, VariantState
from warmroute.local.data.failures import Refusal
from warmroute.local.data.fleets import Fleets

MAIN = VariantState("main", 1.0, 2, "ml.p5.48xlarge", None, "model", "image", {"SM_VLLM_MAX_NUM_SEQS": "4"})
STATE = EndpointState("bot", "InService", "bot-1", (MAIN,), (), ())
COMPONENT = ComponentState("llama", "InService", "main", 3, None, "model", None, None, {})


def _fleet(fleets: Fleets, state: EndpointState, **wanted: str):
    return fleets.fleet("123456789012", "us-east-1", state, **wanted)


def test_instances_as_many_as_are_in_force() -> None:
    assert [instance.id for instance in _fleet(Fleets(), STATE).instances] == ["bot-1-main-0", "bot-1-main-1"]


def test_scaling_keeps_the_instances_that_stay() -> None:
    fleets = Fleets()
    before = list(_fleet(fleets, STATE).instances)

    grown = _fleet(fleets, replace(STATE, variants=(replace(MAIN, instance_count=3),))).instances
    assert grown[:2] == before

    shrunk = _fleet(fleets, replace(STATE, variants=(replace(MAIN, instance_count=1),))).instances
    assert shrunk == before[:1]


def test_a_new_configuration_is_a_new_fleet() -> None:
    fleets = Fleets()
    before = set(map(id, _fleet(fleets, STATE).instances))

    after = _fleet(fleets, replace(STATE, endpoint_config_name="bot-2")).instances
    assert not before & set(map(id, after))


def test_weights_decide_the_variant_and_the_target_overrides_them() -> None:
    state = replace(STATE, variants=(MAIN, replace(MAIN, name="other", weight=0.0)))
    fleets = Fleets()

    assert {_fleet(fleets, state).variant.name for _ in range(20)} == {"main"}
    assert _fleet(fleets, state, variant="other").variant.name == "other"


@pytest.mark.parametrize(
    ("state", "wanted", "says"),
    [
        (STATE, {"variant": "nope"}, "Variant nope is not part of endpoint bot. Variants: main."),
        (STATE, {"component": "nope"}, "Inference component nope is not in service"),
        (replace(STATE, components=(COMPONENT,)), {}, "No inference component is named on endpoint bot"),
        (replace(STATE, variants=(replace(MAIN, instance_count=0),)), {}, "has no capacity"),
    ],
)
def test_what_cannot_be_served_is_refused(state: EndpointState, wanted: dict[str, str], says: str) -> None:
    with pytest.raises(Refusal, match=says):
        _fleet(Fleets(), state, **wanted)


def test_each_copy_of_a_component_is_a_target_and_an_adapter_uses_those_of_its_base() -> None:
    adapter = replace(COMPONENT, name="legal", base="llama")
    state = replace(STATE, components=(COMPONENT, adapter))
    fleets = Fleets()

    assert len(_fleet(fleets, state, component="llama").instances) == 3
    assert _fleet(fleets, state, component="legal") is _fleet(fleets, state, component="llama")


def test_an_instance_answers_with_every_token_and_remembers_the_prompt() -> None:
    instance = _fleet(Fleets(speed=1_000), STATE).instances[0]
    prompt = prompt_blocks("a warm prefix " * 200)

    async def generate(request_id: str) -> list[tuple[int, int]]:
        return [step async for step in instance.generate(EngineRequest(request_id, prompt, 5))]

    async def twice() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        return await generate("1"), await generate("2")

    cold, warm = asyncio.run(twice())
    assert sum(tokens for tokens, _ in cold) == sum(tokens for tokens, _ in warm) == 5
    assert cold[-1][1] == 0
    assert warm[-1][1] == instance.cached_tokens(prompt) > 0


def test_a_request_that_is_given_up_leaves_the_engine() -> None:
    instance = _fleet(Fleets(speed=1_000), STATE).instances[0]

    async def give_up_then_ask_again() -> int:
        stream = instance.generate(EngineRequest("1", prompt_blocks("x" * 640), 10_000))
        await anext(stream)
        await stream.aclose()
        answer = instance.generate(EngineRequest("1", prompt_blocks("y" * 640), 3))
        return sum([tokens async for tokens, _ in answer])

    assert asyncio.run(give_up_then_ask_again()) == 3


def test_an_impossible_request_is_the_container_s_error() -> None:
    instance = _fleet(Fleets(speed=1_000), STATE).instances[0]

    async def ask() -> None:
        async for _ in instance.generate(EngineRequest("1", prompt_blocks("x"), 10_000_000)):
            pass

    with pytest.raises(Refusal, match="Received client error"):
        asyncio.run(ask())
