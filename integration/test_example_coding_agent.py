"""The agent keeps its instance and its cache from step to step, unless a clock in its system prompt takes both."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3
import pytest
from example_runs import EXAMPLES, run_example

from warmroute import load_spec
from warmroute.client.chat import SageMakerChat
from warmroute.client.testing import FakeEndpoint
from warmroute.local.testing import MakeEndpoint

pytest_plugins = ["warmroute.local.testing"]

FOLDER = EXAMPLES / "coding_agent"
STEPS = 9


def test_steps_stay_on_one_instance_unless_the_system_prompt_has_a_clock(local_endpoint: MakeEndpoint) -> None:
    endpoint = local_endpoint(load_spec(FOLDER / "endpoint.yaml"))

    said = run_example("coding_agent", endpoint.environment, "--simulated")

    with_clock, without = said.split("\n\n")[:2]
    requests = endpoint.requests
    assert len(requests) == 2 * STEPS
    assert len({request.key for request in requests[:STEPS]}) == STEPS
    assert len({(request.key, request.instance) for request in requests[STEPS:]}) == 1
    assert max(_cached(with_clock)) < 0.2
    assert min(_cached(without)[1:]) > 0.9
    assert said.count("All checks pass.") == 2  # It does its work, too.

    assert re.search(r"find_volatile: time at byte \d+ of the window\. Move the time to the last message", with_clock)
    assert re.search(r"explain: volatile_text at byte [\d,]+, which costs: both", with_clock)
    assert "find_volatile" not in without
    assert re.search(r"explain: appended at byte [\d,]+, which costs: nothing", without)


def test_calls_of_a_model_are_made_and_sent_back_to_the_letter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The way of a real model, which the simulated engines cannot go."""
    main, workspace = _module("main", monkeypatch), _module("workspace", monkeypatch)
    calls = [
        [("read_file", '{"path" :  "price.py"}'), ("read_file", '{"path": "../secret"}')],
        [("no_such_tool", ""), ("write_file", "no JSON")],
        [("write_file", json.dumps({"path": "price.py", "text": "def price(a, e):\n    return a * e\n"}))],
        [("run_checks", "")],
        [],
    ]
    endpoint = FakeEndpoint(lambda request: _answer(request, calls), prefix_length=4_096)
    chat = SageMakerChat(endpoint.connect(boto3.client("sagemaker-runtime", region_name="us-east-1")), "coder")

    said = main.Agent(chat, workspace.Workspace(tmp_path), has_clock=False).run(simulated=False)

    assert "AssertionError: 100.0" in said
    assert len(endpoint.requests) == len(calls)
    assert len({request.routing_key for request in endpoint.requests}) == 1
    steps = json.loads(endpoint.requests[-1].body)["messages"][2:]
    sent = [[(each["function"]["name"], each["function"]["arguments"]) for each in step["tool_calls"]]
            for step in steps if step["role"] == "assistant"]  # fmt: skip
    assert sent == calls[:-1]
    results = [step["content"] for step in steps if step["role"] == "tool"]
    assert results[0] == workspace.PRICE
    assert results[1] == "ValueError: ../secret is not in the workspace."
    assert results[2] == "There is no tool no_such_tool."
    assert results[3].startswith("JSONDecodeError: ")
    assert results[4] == "price.py is written."


def _module(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(FOLDER)
    found: Any = importlib.util.spec_from_file_location(f"coding_agent_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _answer(request: Mapping[str, Any], calls: list[list[tuple[str, str]]]) -> dict[str, Any]:
    """The calls of the step that a request asks for."""
    step = sum(message["role"] == "assistant" for message in request["messages"])
    told = [
        {"id": f"call_{step}_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls[step])
    ]
    message = {"role": "assistant", "content": None, "tool_calls": told}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def _cached(said: str) -> list[float]:
    told = re.findall(r"^ +(\d+) of +(\d+) tokens cached: ", said, re.MULTILINE)
    assert len(told) == STEPS
    return [int(cached) / int(prompt) for cached, prompt in told]
