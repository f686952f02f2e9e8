"""A coding agent that finds all its earlier steps in the cache, and what a clock in its system prompt does to that."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
from workspace import PRICE, TOOLS, Workspace

from warmroute.client.chat import SageMakerChat, ToolCall
from warmroute.prefix import canonical_json, explain, find_volatile

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "coder")
REGION = os.environ.get("AWS_REGION", "us-east-1")
PREFIX_LENGTH = 4_096
"""That of the endpoint, to explain what it does."""

# Longer than the endpoint's prefix_length, as such prompts are.
INSTRUCTIONS = (
    "You repair programs with the tools that you have. Change as little as you can, and run the checks. " * 60
)
TASK = "The checks fail. Find out why, repair the program, and stop when they pass."

PLAN: tuple[tuple[str, dict[str, str]], ...] = (
    ("list_files", {}),
    ("run_checks", {}),
    ("read_file", {"path": "check.py"}),
    ("read_file", {"path": "price.py"}),
    ("write_file", {"path": "price.py", "text": PRICE.replace("0.9 *", "0.9 * each *").replace("else", "or")}),
    ("run_checks", {}),
    ("write_file", {"path": "price.py", "text": PRICE.replace("0.9 *", "0.9 * each *")}),
    ("run_checks", {}),
)
"""What a model would call. The words of simulated engines mean nothing, so with ``--simulated`` these are its calls."""


class Agent:
    """One task in one workspace.

    Args:
        chat: The endpoint.
        workspace: What the tools work on.
        has_clock: Whether every step tells the time in the system prompt, which then is another one each time.
    """

    def __init__(self, chat: SageMakerChat, workspace: Workspace, *, has_clock: bool) -> None:
        self._chat, self._workspace, self._has_clock = chat, workspace, has_clock
        self._id = uuid.uuid4().hex  # Of this task: all agents begin alike, and each has an instance of its own.
        # Told once, the time does no harm: this message stays as it is.
        self._steps: list[dict[str, Any]] = [{"role": "user", "content": f"{_now()} {TASK}"}]
        self.requests: list[bytes] = []

    def run(self, *, simulated: bool, most_steps: int = 20) -> str:
        """Work until the model calls no tool; what the checks say then."""
        for step in range(most_steps):
            system = (_now() if self._has_clock else "") + INSTRUCTIONS
            messages = [{"role": "system", "content": system}, *self._steps]
            request = {"tools": TOOLS, "messages": messages, "max_tokens": 32 if simulated else 1_024}
            self.requests.append(canonical_json(request))
            reply = self._chat.complete(request, prefix_aware_id=self._id)
            calls = _planned(step) if simulated else reply.tool_calls
            if usage := reply.usage:
                names = ", ".join(call.name for call in calls) or "done"
                print(f"  {usage.cached_tokens:5} of {usage.prompt_tokens:5} tokens cached: {names}")
            if not calls:
                break
            self._append(reply.text, calls)
        return self._workspace.run_checks()

    def _append(self, text: str, calls: tuple[ToolCall, ...]) -> None:
        """The step that was made, to the letter: rewritten arguments would end the cached part there."""
        told = [{"id": call.id, "type": "function", "function": _function(call)} for call in calls]
        self._steps.append({"role": "assistant", "content": text, "tool_calls": told})
        for call in calls:  # In the order of the calls, also where tools run side by side.
            result = self._workspace.call(call.name, call.arguments)
            self._steps.append({"role": "tool", "tool_call_id": call.id, "content": result})


def _function(call: ToolCall) -> dict[str, str]:
    return {"name": call.name, "arguments": call.arguments}


def _planned(step: int) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"call_{step}", name, json.dumps(given)) for name, given in PLAN[step : step + 1])


def _now() -> str:
    return f"It is {datetime.now(UTC).isoformat()}. "


def main() -> None:
    """Repair the program twice: with a clock in the system prompt, and without."""
    # boto3 finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    chat = SageMakerChat(boto3.client("sagemaker-runtime", region_name=REGION), ENDPOINT_NAME)
    for has_clock in (True, False):
        print("A clock in the system prompt:" if has_clock else "The time told once, in the task:")
        with tempfile.TemporaryDirectory() as folder:
            agent = Agent(chat, Workspace(Path(folder)), has_clock=has_clock)
            print(f"  {agent.run(simulated='--simulated' in sys.argv).strip().splitlines()[-1]}")
        first, second, *_ = agent.requests
        for found in find_volatile(first, api="invoke", prefix_length=PREFIX_LENGTH):
            print(f"  find_volatile: {found.kind} at byte {found.offset} of the window. {found.remedy}")
        parting = explain(first, second, api="invoke", prefix_length=PREFIX_LENGTH)
        print(f"  explain: {parting.cause} at byte {parting.compared_offset:,}, which costs: {parting.affected}\n")


if __name__ == "__main__":
    main()
