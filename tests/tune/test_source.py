"""A digest in place of a trace: what is told of it before anything is computed from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from warmroute.errors import WarmrouteError
from warmroute.traffic import TrafficRequest
from warmroute.traffic.digest.make import digest_requests
from warmroute.traffic.digest.metadata import DigestMetadata
from warmroute.traffic.digest.table import read_digest
from warmroute.tune.observed import Observed
from warmroute.tune.source import RecordedTraffic, open_trace

Make = Callable[..., str]


def requests(arrivals: Sequence[float | None], **fields: Any) -> list[TrafficRequest]:
    return [
        TrafficRequest(source="a", line=line, request_id=f"r{line}", arrival_seconds=at, text="Why?", **fields)
        for line, at in enumerate(arrivals)
    ]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(given: list[TrafficRequest], **told: Any) -> str:
        path = tmp_path / "digest.parquet"
        digest_requests(given, path, DigestMetadata(**told))
        return str(path)

    return make


def test_what_was_left_out_of_a_digest_is_a_caution(make: Make) -> None:
    path = make(requests([0.0, 1.0], output_characters=40), rejects={"too long": 1}, sampling_percentage=20.0)

    with open_trace(RecordedTraffic(paths=[path])) as trace:
        cautions = trace.cautions

    assert cautions == (
        "No requests: 1 entry: too long.",
        "Told in characters alone: 2 answers; 4 characters are taken for a token.",
        (
            "20 % of the requests were captured: reuse is under-counted, and the real rate is 5 times that of the "
            "trace. --rate sets it."
        ),
    )


def test_a_digest_of_all_requests_has_no_caution(make: Make) -> None:
    with open_trace(RecordedTraffic(paths=[make(requests([0.0, 1.0]), sampling_percentage=100.0)])) as trace:
        assert (len(trace.observed), trace.cautions) == (2, ())


def test_of_a_large_digest_the_busiest_requests_in_a_row_are_looked_at(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmroute.tune.source.MOST_REQUESTS", 3)
    path = make(requests([0.0, 10.0, 20.0, 21.0, 22.0, 40.0]))

    with open_trace(RecordedTraffic(paths=[path])) as trace:
        assert list(trace.observed.request) == ["r2", "r3", "r4"]
        assert trace.cautions == ("The busiest 3 of 6 requests in a row are looked at.",)


def test_without_times_the_first_requests_are_looked_at(make: Make) -> None:
    digest = read_digest(make(requests([None] * 5)))

    assert list(Observed.of_digest(digest, 2).request) == ["r0", "r1"]


def test_a_digest_without_requests_says_what_is_needed(make: Make) -> None:
    with (
        pytest.raises(WarmrouteError, match=r"The trace has no requests\. Give one with some: at least a hundred"),
        open_trace(RecordedTraffic(paths=[make([])])),
    ):
        pass
