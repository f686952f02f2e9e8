"""Trajectories of tau-bench become the model calls that made them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from warmroute.errors import DocumentError
from warmroute.traffic import read_tau_bench

TRACES = Path(os.environ.get("WARMROUTE_TRACES", Path(__file__).parents[2] / "../shared/traces"))


def _write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_one_call_for_each_assistant_message_with_what_came_before(tmp_path: Path) -> None:
    tool_call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    trajectory = [
        {"role": "system", "content": "Help."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [tool_call]},
        {"role": "tool", "tool_call_id": "1", "name": "find", "content": "found"},
        {"role": "assistant", "content": "Done.", "tool_calls": None},
    ]
    first, second = read_tau_bench(_write(tmp_path / "t.json", [{"task_id": 3, "trial": 0, "traj": trajectory}]))

    assert [len(first.messages), len(second.messages)] == [2, 4]
    assert (first.session, first.turn, second.turn) == ("3/0", 0, 1)
    assert second.messages[2] == {"role": "assistant", "tool_calls": [tool_call]}
    assert second.messages[3]["tool_call_id"] == "1"


@pytest.mark.parametrize("value", [{}, [], [1], [{"traj": 1}], [{"traj": []}], [{"traj": [1]}], [{"traj": ["x"]}]])
def test_another_format_is_refused_with_the_file_s_name(tmp_path: Path, value: object) -> None:
    with pytest.raises(DocumentError, match=r"t\.json: "):
        read_tau_bench(_write(tmp_path / "t.json", value))


def test_missing_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="No such file"):
        read_tau_bench(tmp_path / "none.json")
    (tmp_path / "cut.json").write_text('[{"traj":', encoding="utf-8")
    with pytest.raises(DocumentError, match="not JSON"):
        read_tau_bench(tmp_path / "cut.json")


@pytest.mark.skipif(not TRACES.is_dir(), reason=f"the public traces are not in {TRACES}; set WARMROUTE_TRACES")
def test_the_airline_trajectories_have_their_known_calls() -> None:
    calls = read_tau_bench(TRACES / "tau-bench/gpt-4o-airline.json")

    assert len(calls) == 2_454
    assert len(calls[0].messages[0]["content"]) == 6_155
