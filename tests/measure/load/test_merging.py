"""The rows of several workers become one record, with one row for each request of the plan."""

from __future__ import annotations

import json

import pytest

from warmroute.errors import WarmrouteError
from warmroute.measure.load.merging import Merging
from warmroute.measure.replay import Schedule, read_rows
from warmroute.measure.replay.bodies import Body
from warmroute.measure.replay.journal import values_of
from warmroute.measure.replay.planning import Planned
from warmroute.measure.run import ReplayedRequest


def plan_of(count):
    return Schedule(Planned(number, number / 8, 0.0, "", "", None, Body(b"{}", "")) for number in range(count))


def row_of(number, **changed):
    known = {
        "arm": "replay",
        "pair": 0,
        "position": 0,
        "index": number,
        "planned_seconds": number / 8,
        "sent_seconds": number / 8 + 0.001,
        "ttft_seconds": 0.2,
        "e2e_seconds": 0.4,
        "inter_token_seconds": 0.01,
        "input_tokens": 9,
        "output_tokens": 20,
        "cached_tokens": 0,
    }
    return values_of(ReplayedRequest(**{**known, **changed}))


def record_of(folder):
    return json.loads((folder / "run.json").read_text("utf-8"))


def test_rows_of_two_workers_become_one_table(tmp_path):
    merging = Merging(plan_of(6), tmp_path / "run", {"workers": 2})
    merging.add([row_of(0), row_of(4)])
    merging.add([row_of(1), row_of(3), row_of(5)])
    merging.add([row_of(2)])

    replayed = merging.end()

    rows = sorted(read_rows(tmp_path / "run"), key=lambda row: row.index)
    assert [values_of(row) for row in rows] == [row_of(number) for number in range(6)]
    assert replayed.summary.problems == ()
    assert replayed.requests.name == "requests.parquet"
    record = record_of(tmp_path / "run")
    assert (record["complete"], record["valid"], record["workers"], record["answered"]) == (True, True, 2, 6)


def test_requests_of_a_lost_worker_have_a_row_that_says_so(tmp_path):
    merging = Merging(plan_of(4), tmp_path / "run", {})
    merging.add([row_of(0), row_of(2)])

    replayed = merging.end()

    errors = {row.index: row.error for row in read_rows(tmp_path / "run")}
    assert errors == {0: None, 1: "worker lost", 2: None, 3: "worker lost"}
    assert replayed.summary.problems == ("A worker was lost: of 2 requests nobody knows what became.",)
    assert record_of(tmp_path / "run")["complete"] is False


def test_a_request_that_was_sent_twice_is_kept_once_and_makes_the_run_invalid(tmp_path):
    merging = Merging(plan_of(2), tmp_path / "run", {})
    merging.add([row_of(0), row_of(1), row_of(0, ttft_seconds=0.3)])

    replayed = merging.end()

    assert sorted((row.index, row.ttft_seconds) for row in read_rows(tmp_path / "run")) == [(0, 0.2), (1, 0.2)]
    assert replayed.summary.problems == ("1 requests were sent twice.",)


def test_what_workers_tell_makes_the_run_invalid(tmp_path):
    merging = Merging(plan_of(1), tmp_path / "run", {})
    merging.add([row_of(0)])

    replayed = merging.end(gave_up=True, further_problems=["node-1: The clock moved."])

    assert replayed.summary.problems == (
        "node-1: The clock moved.",
        "It was given up, since every answer was a refusal.",
    )


def test_a_folder_with_a_run_is_refused(tmp_path):
    Merging(plan_of(1), tmp_path / "run", {}).end()

    with pytest.raises(WarmrouteError, match="there is a run already"):
        Merging(plan_of(1), tmp_path / "run", {})
