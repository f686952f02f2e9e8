"""Recorded chat requests are sent as the demo needs them, whatever format they come from."""

from __future__ import annotations

import json

import orjson
import pytest

from warmroute.demo import recorded_requests
from warmroute.traffic import TrafficError

MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def test_conversations_are_side_by_side_with_canonical_bodies(tmp_path):
    trace = tmp_path / "runs.json"
    trace.write_text(json.dumps([{"task_id": at, "traj": MESSAGES * 2} for at in range(3)]))
    chosen = recorded_requests(trace, 4)
    assert [request.turn for request in chosen] == [0, 0, 1, 1]
    assert [len(orjson.loads(request.body)["messages"]) for request in chosen] == [1, 1, 3, 3]


def test_a_trace_without_messages_is_refused(tmp_path):
    trace = tmp_path / "lengths.jsonl"
    trace.write_text('{"timestamp": 0, "input_length": 5}')
    with pytest.raises(TrafficError, match="no request holds messages"):
        recorded_requests(trace, 4)
