"""What the runs of an experiment send."""

from __future__ import annotations

import hashlib
import json

import pytest

from warmroute.errors import WarmrouteError
from warmroute.measure.experiment import TraceSchedules
from warmroute.measure.replay import Load, Sending
from warmroute.measure.segmenting import SegmentBy


@pytest.fixture
def trace(tmp_path):
    lines = (
        {
            "timestamp": 1_000 * number,
            "session_id": f"{('acme', 'globex')[number % 2]}-{number}",
            "messages": [{"role": "user", "content": f"Secret {number}?"}],
            "output_length": 3,
        }
        for number in range(10)
    )
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def times(schedule):
    return [request.planned_seconds for request in schedule]


def test_a_trace_with_times_of_its_own_is_read_once(trace):
    schedules = TraceSchedules([str(trace)], Load(), Sending())

    assert schedules(1, chat_only=True) is schedules(2, chat_only=True)
    assert schedules(1, chat_only=True) is not schedules(1, chat_only=False)


def test_times_drawn_by_chance_are_those_of_the_seed(trace):
    schedules = TraceSchedules([str(trace)], Load(rate=1.0), Sending())
    one, other, again = (schedules(seed, chat_only=True) for seed in (1, 2, 1))

    assert times(one) == times(again) != times(other)
    assert one.sha256 == again.sha256 != other.sha256
    assert one.requests == other.requests


def test_a_manifest_tells_digests_and_no_text(trace):
    about = TraceSchedules([str(trace), str(trace.parent / "*.jsonl")], Load(requests=4), Sending()).about(
        chat_only=True
    )

    digest = hashlib.sha256(trace.read_bytes()).hexdigest()
    assert [file["sha256"] for file in about["files"]] == [digest, None]
    assert (about["requests"], about["seconds"]) == (4, 3.0)
    assert len(about["requests_sha256"]) == 64
    assert "Secret" not in json.dumps(about)


@pytest.mark.parametrize(
    ("by", "segments"),
    [(SegmentBy.SESSION_PREFIX, {"acme", "globex"}), (SegmentBy.NONE, {""}), (SegmentBy.PREFIX_AWARE_ID, {""})],
)
def test_requests_know_their_segment(trace, by, segments):
    schedule = TraceSchedules([str(trace)], Load(), Sending(), segment_by=by)(0, chat_only=True)

    assert {request.segment for request in schedule} == segments


def test_pairs_send_parts_of_the_length_of_a_run_in_turn(trace):
    schedules = TraceSchedules([str(trace)], Load(duration_seconds=3.0), Sending())
    about = schedules.about(chat_only=True)

    sent = [[request.number for request in schedules(0, chat_only=True, turn=turn)] for turn in range(4)]

    assert sent == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 1, 2]]
    assert times(schedules(0, chat_only=True, turn=1)) == [0.0, 1.0, 2.0]
    assert about["parts"] == [{"number": number, "requests": 3} for number in range(3)]
    assert schedules.notes[-1] == "The trace has 3 parts of the length of a run; pairs send them in turn."
    assert schedules(7, chat_only=True, turn=1) is schedules(8, chat_only=True, turn=4)


def test_one_part_is_enough_where_it_is_wanted_or_the_whole_trace(trace):
    for load, most in ((Load(duration_seconds=3.0), 1), (Load(), 20), (Load(requests=6), 20)):
        schedules = TraceSchedules([str(trace)], load, Sending(), most_parts=most)

        assert len(schedules.about(chat_only=True)["parts"]) == 1
        assert schedules(0, chat_only=True, turn=1) is schedules(0, chat_only=True, turn=2)


def test_a_rate_takes_further_requests_for_a_further_part(trace):
    schedules = TraceSchedules([str(trace)], Load(rate=2.0, requests=4), Sending())

    sent = [[request.number for request in schedules(0, chat_only=True, turn=turn)] for turn in range(3)]

    assert sent == [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 2, 3]]


def test_standard_input_cannot_be_read_for_every_run():
    with pytest.raises(WarmrouteError, match="can be read only once"):
        TraceSchedules(["-"], Load(), Sending())
