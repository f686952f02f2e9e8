"""Files of Data Capture, which instances write side by side, are read in the order of time."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traffic.recorded import lines_of

from warmroute.measure.replay import Load, Sending, prepare
from warmroute.traffic import Rejects, TrafficError, TrafficRequest, read_traffic
from warmroute.traffic.reading.overlapping import Part, side_by_side
from warmroute.traffic.sample import write_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BEGIN = datetime(2026, 4, 29, 13, tzinfo=UTC)


def event(name: str, seconds: float) -> dict[str, object]:
    body = json.dumps({"messages": [{"role": "user", "content": name}]})
    time = (BEGIN + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
    return {
        "captureData": {"endpointInput": {"data": body, "encoding": "JSON", "mode": "INPUT"}},
        "eventMetadata": {"eventId": name, "inferenceTime": time},
        "eventVersion": "0",
    }


def request(seconds: float | None, name: str = "") -> TrafficRequest:
    return TrafficRequest(source="file", line=1, arrival_seconds=seconds, request_id=name)


calls = st.lists(
    st.tuples(st.integers(0, 600), st.integers(0, 90), st.integers(0, 3)),  # Arrival, duration, instance.
    min_size=1,
    max_size=30,
)


@given(calls, st.integers(1, 5))
def test_whatever_instance_wrote_them_and_into_which_file_requests_come_by_arrival(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[int, int, int]], lines_a_file: int
) -> None:
    folder = tmp_path_factory.mktemp("capture")
    for instance in range(4):
        written = sorted((at + took, at, number) for number, (at, took, of) in enumerate(made) if of == instance)
        for first in range(0, len(written), lines_a_file):
            lines = [event(str(number), at) for _, at, number in written[first : first + lines_a_file]]
            # Names say nothing of the time, as those of copied files may not.
            (folder / f"{instance}-{len(written) - first:02}.jsonl").write_bytes(lines_of(*lines))
    rejects = Rejects()
    found = list(read_traffic(folder, rejects=rejects))
    assert [each.arrival_seconds for each in found] == sorted(BEGIN.timestamp() + at for at, _, _ in made)
    assert sorted(each.request_id for each in found) == sorted(str(number) for number in range(len(made)))
    assert not rejects.noted
    assert not rejects.rejected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 5)), max_size=12), st.integers(1, 4))
def test_no_more_files_are_open_than_overlap_or_may_be(spans: list[tuple[int, int]], most_open: int) -> None:
    now_open: set[int] = set()
    most = 0

    def of(number: int, begin: int, length: int) -> Iterator[TrafficRequest]:
        nonlocal most
        now_open.add(number)
        most = max(most, len(now_open))
        for at in range(begin, begin + length):
            yield request(at, f"{number} {at}")
        now_open.discard(number)

    parts = [Part(begin, of(number, begin, length)) for number, (begin, length) in enumerate(spans)]
    found = [each.request_id for each in side_by_side(parts, most_open=most_open)]
    expected = {f"{number} {at}" for number, (begin, length) in enumerate(spans) for at in range(begin, begin + length)}
    assert len(found) == len(expected)
    assert set(found) == expected
    overlap = max((sum(begin <= at < begin + length for begin, length in spans) for at in range(60)), default=0)
    # One that has just given its last request is still open beside one that begins then.
    touching = max((sum(begin <= at <= begin + length for begin, length in spans) for at in range(60)), default=0)
    assert most <= max(min(touching, most_open), min(overlap, most_open))


def test_a_request_without_a_time_stays_behind_the_one_before_it_in_its_file() -> None:
    one = Part(0, iter([request(0, "a"), request(None, "b"), request(9, "e")]))
    other = Part(3, iter([request(3, "c"), request(4, "d")]))
    assert [each.request_id for each in side_by_side([other, one])] == ["a", "b", "c", "d", "e"]


def test_what_is_no_entry_is_counted_once_though_files_are_looked_into_first(tmp_path: Path) -> None:
    for name, seconds in (("a", 5), ("b", 1)):
        (tmp_path / name).write_bytes(b"broken\n" + lines_of(event(name, seconds)))
    (tmp_path / "c").write_bytes(b"nothing but\nbroken lines\n")
    rejects = Rejects()
    found = list(read_traffic(tmp_path, rejects=rejects))
    assert [each.request_id for each in found] == ["b", "a"]
    assert dict(rejects.rejected) == {"not JSON": 4}


def test_an_event_that_two_files_hold_is_one_request(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(lines_of(event("same", 1), event(name, 2)))
    rejects = Rejects()
    assert [each.request_id for each in read_traffic(tmp_path, rejects=rejects)] == ["same", "a", "b"]
    assert dict(rejects.rejected) == {"an id met before": 1}


def test_files_of_another_format_among_them_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(lines_of(event("a", 1)))
    (tmp_path / "b").write_bytes(lines_of({"timestamp": 0, "input_length": 9, "output_length": 1, "hash_ids": [1]}))
    with pytest.raises(TrafficError, match=r"b: the format is mooncake, but that of .*a is data-capture"):
        list(read_traffic(tmp_path))


def test_standard_input_is_read_beside_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(lines_of(event("a", 1), event("c", 3)))
    piped = lines_of(event("b", 2), event("d", 4))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
    found = read_traffic(["-", tmp_path / "a"])
    assert [each.request_id for each in found] == ["a", "b", "c", "d"]


def test_a_folder_of_data_capture_can_be_replayed_as_it_is(tmp_path: Path) -> None:
    made = write_sample(tmp_path, requests=60, seed=3, hours=0.2)
    assert made.files > 1
    schedule, about = prepare([str(made.path)], Load(), Sending(), chat_only=False)
    assert schedule.requests == 60
    planned = [each.planned_seconds or 0.0 for each in schedule]
    assert planned == sorted(planned)
    assert not any("earlier" in note or "later" in note for note in about["notes"])
