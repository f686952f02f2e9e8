"""Historical trajectories of tau-bench: one model call for each answer of the agent.

Format: a JSON list of ``{"task_id", "trial", "traj": [{"role", "content", "tool_calls"}, …]}``; no times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.conversations import calls_of
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return "traj" in value


def _read(entry: Entry, reading: Reading) -> Iterable[TrafficRequest]:
    trajectory = entry.value.get("traj")
    if not isinstance(trajectory, list):
        raise BadEntryError("traj is not a list")
    return calls_of(entry, reading, trajectory, session=f"{text(entry.value, 'task_id')}/{entry.line - 1}")


READER = Reader(_recognises, _read, "traj (tau-bench)")
