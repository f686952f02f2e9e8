"""Reads the historical trajectories of tau-bench: one model call for each assistant message.

Format: a JSON array of ``{"task_id", "trial", "traj": [{"role", "content", "tool_calls"}, …]}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.errors import DocumentError
from warmroute.traffic.conversation import ChatRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")
"""Fields of a message that the chat completions API takes."""


def read_tau_bench(path: str | Path) -> list[ChatRequest]:
    """Every model call of a file, conversation by conversation.

    Args:
        path: A file of tau-bench's ``historical_trajectories``.

    Raises:
        DocumentError: The file cannot be read, or has another format.
    """
    file = Path(path)
    if file.exists() and not file.is_file():
        raise DocumentError(f"{file}: not a file.", "Give the path of a tau-bench trajectory file.")
    try:
        runs = orjson.loads(file.read_bytes())
    except OSError as error:
        raise DocumentError(f"{file}: {error.strerror}.", "Give the path of a tau-bench trajectory file.") from None
    except orjson.JSONDecodeError as error:
        raise DocumentError(f"{file}: not JSON: {error.msg} (line {error.lineno}).", "Is it complete?") from None
    if not isinstance(runs, list) or not all(map(_is_run, runs)):
        raise DocumentError(f"{file}: not a list of runs with traj.", "Give a tau-bench trajectory file.")
    calls = [
        call for position, run in enumerate(runs) for call in _calls(f"{run.get('task_id')}/{position}", run["traj"])
    ]
    if not calls:
        raise DocumentError(f"{file}: no run has an assistant message.", "Give a tau-bench trajectory file.")
    return calls


def _is_run(run: object) -> bool:
    trajectory = run.get("traj") if isinstance(run, dict) else None
    return isinstance(trajectory, list) and all(isinstance(message, dict) for message in trajectory)


def _calls(session: str, trajectory: list[dict[str, Any]]) -> Iterator[ChatRequest]:
    messages = [{key: message[key] for key in _FIELDS if message.get(key) is not None} for message in trajectory]
    answers = [position for position, message in enumerate(messages) if message.get("role") == "assistant"]
    for turn, position in enumerate(answers):
        answer = messages[position]
        characters = len(answer.get("content", "")) + len(orjson.dumps(answer.get("tool_calls", "")))
        yield ChatRequest(session, turn, tuple(messages[:position]), characters)
