"""Trajectories of SWE-agent: a file for each problem, one model call for each answer of the agent.

Format: ``{"trajectory": […], "history": [{"role", "content", "agent"}, …], "info"}``; no times. Answers marked
``is_demo`` were shown to the model, not made by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.conversations import calls_of
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return "history" in value and "trajectory" in value


def _read(entry: Entry, reading: Reading) -> Iterable[TrafficRequest]:
    history = entry.value.get("history")
    if not isinstance(history, list):
        raise BadEntryError("history is not a list")
    return calls_of(entry, reading, history, session=f"{entry.source}/{entry.line}", skip="is_demo")


READER = Reader(_recognises, _read, "trajectory and history (SWE-agent)")
