"""The conversations of the generated traffic: questions, calls of tools, answers, and when they happen."""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.bodies.blocks import tokens_of
from warmroute.traffic.sample.sentences import sentence, sentences
from warmroute.traffic.sample.tenants import TENANTS, Tenant, tenants
from warmroute.traffic.synthetic import Burst, poisson_arrivals

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGE_TOKENS = 3
"""Tokens that a message costs beside its text."""

_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": what,
            "parameters": {"type": "object", "properties": {"ticket": {"type": "string"}}, "required": ["ticket"]},
        },
    }
    for name, what in (("find_device", "Devices of a ticket, and their state."), ("find_orders", "Orders of a ticket."))
]


@dataclass(frozen=True, slots=True)
class Call:
    """One model call of a conversation."""

    at_seconds: float
    """When it arrives, from the beginning."""

    conversation: int
    turn: int
    """Its position in its conversation, from 0."""

    tenant: Tenant
    body: bytes
    """The request, as its client writes it."""

    prompt_tokens: int
    answer: dict[str, Any]
    """The assistant's message."""

    completion_tokens: int


def calls(requests: int, *, seed: int, seconds: float) -> Iterator[Call]:
    """Calls of all conversations in the order of their arrival, the same for the same arguments.

    Args:
        requests: How many.
        seed: Of everything that is drawn.
        seconds: Time in which conversations begin; the last ones end later.
    """
    rng = random.Random(seed)  # noqa: S311 - text, not secrets.
    plans = _plans(rng, requests)
    renting = _renting(rng, len(plans), tenants(seed))
    starts = _starts(rng, len(plans), seconds, seed)
    conversations = [
        (start, _conversation(number, tenant, start, plan, rng.getrandbits(64)))
        for number, (tenant, start, plan) in enumerate(zip(renting, starts, plans, strict=True))
    ]
    return _in_time(conversations)


def _in_time(conversations: list[tuple[float, Iterator[Call]]]) -> Iterator[Call]:
    """The calls of conversations by time; only those that have begun and not ended are in memory."""
    going: list[tuple[float, int, Call, Iterator[Call]]] = []
    for number, (start, conversation) in enumerate([*conversations, (math.inf, iter(()))]):
        while going and going[0][0] <= start:
            _, other, call, rest = heapq.heappop(going)
            yield call
            if (following := next(rest, None)) is not None:
                heapq.heappush(going, (following.at_seconds, other, following, rest))
        if (first := next(conversation, None)) is not None:
            heapq.heappush(going, (first.at_seconds, number, first, conversation))


def _plans(rng: random.Random, requests: int) -> list[list[bool]]:
    """For each conversation, whether the answer to each of its calls is a call of a tool."""
    plans: list[list[bool]] = []
    left = requests
    while left:
        turns = min(8, 1 + int(rng.expovariate(1 / 2.5)))
        plan = [uses for _ in range(turns) for uses in ([True, False] if rng.random() < 0.35 else [False])]
        plans.append(plan[:left])
        left -= len(plans[-1])
    return plans


def _renting(rng: random.Random, count: int, every: list[Tenant]) -> list[Tenant]:
    """Whose customer each conversation is: each tenant's at least once, if there are enough."""
    weights = [1 / (1 + tenant.number) ** 0.8 for tenant in every]
    drawn = every[:count] + rng.choices(every, weights, k=max(0, count - TENANTS))
    rng.shuffle(drawn)
    return drawn


def _starts(rng: random.Random, count: int, seconds: float, seed: int) -> list[float]:
    bursts = [
        Burst(0.25 * seconds, 0.05 * seconds, 4),
        Burst(0.45 * seconds, 0.10 * seconds, 0.3),
        Burst(0.60 * seconds, 0.08 * seconds, 5),
    ]
    rate = (2 * count + 20) / seconds  # More than are needed, of which a part is drawn: the shape stays.
    times: list[float] = []
    while len(times) < count:
        times = list(poisson_arrivals(rate, seconds, bursts=bursts, seed=seed))
        rate *= 2
    return sorted(rng.sample(times, count))


def _conversation(number: int, tenant: Tenant, at: float, plan: list[bool], seed: int) -> Iterator[Call]:
    rng = random.Random(seed)  # noqa: S311 - text, not secrets.
    ticket = f"{rng.randrange(10**6, 10**7)}"
    messages: list[dict[str, Any]] = [{"role": "system", "content": tenant.system_text}]
    characters = len(tenant.system_text)
    asked = f"Ticket {ticket}. "
    for turn, (uses_tool, after_tool) in enumerate(zip(plan, [False, *plan], strict=False)):
        if after_tool:
            messages.append(_tool_result(rng, messages[-1]))
        else:
            messages.append({"role": "user", "content": f"{asked}{sentences(rng, rng.randint(1, 3))} Why?"})
            asked = ""
        characters += len(messages[-1]["content"])
        answer = _answer(rng, ticket, uses_tool=uses_tool)
        said = len(orjson.dumps(answer["tool_calls"]) if uses_tool else answer["content"])
        body = _body(rng, tenant, messages)
        prompt_tokens = tokens_of(characters) + MESSAGE_TOKENS * len(messages)
        yield Call(at, number, turn, tenant, body, prompt_tokens, answer, tokens_of(said))
        messages.append(answer)
        characters += said
        at += 0.5 + 0.03 * tokens_of(said) + (rng.uniform(0.3, 2) if uses_tool else rng.lognormvariate(3.2, 0.6))


def _answer(rng: random.Random, ticket: str, *, uses_tool: bool) -> dict[str, Any]:
    if not uses_tool:
        return {"role": "assistant", "content": sentences(rng, rng.randint(2, 8))}
    function = {"name": rng.choice(_TOOLS)["function"]["name"], "arguments": f'{{"ticket":"{ticket}"}}'}  # type: ignore[index]
    call = {"id": f"call_{rng.getrandbits(48):012x}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _tool_result(rng: random.Random, asked: dict[str, Any]) -> dict[str, Any]:
    found = [{"id": rng.getrandbits(32), "state": sentence(rng)} for _ in range(rng.randint(3, 12))]
    call = asked["tool_calls"][0]["id"]
    return {"role": "tool", "content": orjson.dumps(found).decode(), "tool_call_id": call}


def _body(rng: random.Random, tenant: Tenant, messages: list[dict[str, Any]]) -> bytes:
    parameters = {"temperature": 0.2, "max_tokens": rng.choice([256, 512, 1_024])}
    prompt = {"messages": messages, "tools": _TOOLS}
    return orjson.dumps(parameters | prompt if tenant.parameters_first else prompt | parameters)
