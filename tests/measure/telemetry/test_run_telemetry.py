"""What telemetry holds, and that it survives a file."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry import (
    ExpectedHits,
    Overflow,
    OverflowBasis,
    Point,
    RunTelemetry,
    ServerTtft,
    nothing_counted,
)
from warmroute.measure.telemetry.figures import with_reasons
from warmroute.measure.telemetry.joined import joined

WHEN = datetime(2026, 11, 30, 12, tzinfo=UTC)
WHOLE = {
    "requests": 10,
    "queried_tokens": 1_000,
    "hit_tokens": 800,
    "hit_rate_ceiling": 0.9,
    "hit_rate_predicted": 0.85,
    "overflow": Overflow(0.0, 0.2, OverflowBasis.BOUNDED, "At most."),
    "instance_shares": {"a": 0.25, "b": 0.75},
    "queue_depth": (Point(0.0, 3.0), Point(2.0, 0.0)),
    "kv_cache_usage": (Point(0.0, 0.5),),
    "ttft": ServerTtft(count=10, mean_seconds=0.2, p50_seconds=0.1, p90_seconds=0.4, p99_seconds=None),
}


def _telemetry(source="vLLM", **values):
    figures = with_reasons(values, {}, f"{source} does not tell.")
    return RunTelemetry(sources=(source,), began=WHEN, ended=WHEN, interval_seconds=2.0, **figures)


@pytest.mark.parametrize("values", [WHOLE, {}, {"requests": 0, "overflow": None}])
def test_it_survives_a_file(values):
    telemetry = _telemetry(**values)
    assert RunTelemetry.from_json(json.loads(json.dumps(telemetry.to_json(), allow_nan=False))) == telemetry


def test_rates_are_of_all_tokens_together():
    telemetry = _telemetry(**WHOLE)
    assert (telemetry.hit_rate, telemetry.largest_share) == (0.8, 0.75)
    assert _telemetry().hit_rate is None
    assert _telemetry(queried_tokens=0, hit_tokens=0).hit_rate is None


def test_a_figure_is_missing_if_and_only_if_there_is_a_reason():
    with pytest.raises(ValueError, match="ttft"):
        replace(_telemetry(**WHOLE), ttft=None)
    with pytest.raises(ValueError, match="requests"):
        replace(_telemetry(), requests=3)


@pytest.mark.parametrize("values", [{}, {"format": 2}, {"format": 1}, {"format": 1, "sources": []}])
def test_something_else_is_refused(values):
    with pytest.raises(WarmrouteError, match="Telemetry"):
        RunTelemetry.from_json(values)


def test_of_several_sources_the_first_that_knows_is_taken():
    telemetry = joined(
        [
            _telemetry("A", requests=10, hit_tokens=3),
            _telemetry("B", requests=11, hit_tokens=800, queried_tokens=1_000),
        ]
    )
    assert (telemetry.requests, telemetry.hit_rate) == (10, 0.8)
    assert telemetry.sources == ("A", "B")
    assert telemetry.unavailable["ttft"] == "A does not tell. B does not tell."


def test_a_rate_is_not_made_of_what_two_sources_counted():
    telemetry = joined([_telemetry("A", hit_tokens=3), _telemetry("B", queried_tokens=1_000)])
    assert (telemetry.hit_rate, telemetry.queried_tokens) == (None, 1_000)
    assert telemetry.unavailable["hit_tokens"].startswith("No source counts both")


def test_what_is_expected_stands_beside_what_was_counted_or_the_reason_why_not():
    counted = _telemetry(requests=10)
    both = ExpectedHits(ceiling=0.9, predicted=0.85, basis="Engines are simulated.").added_to(counted)
    one = ExpectedHits(ceiling=0.9, why_not_predicted="The fleet is not known.").added_to(counted)
    none = ExpectedHits().added_to(nothing_counted(WHEN, WHEN, "Nobody looked."))

    assert (both.hit_rate_ceiling, both.hit_rate_predicted, both.requests) == (0.9, 0.85, 10)
    assert both.prediction_basis == "Engines are simulated."
    assert both.unavailable["ttft"] == "vLLM does not tell."
    assert one.unavailable["hit_rate_predicted"] == "The fleet is not known."
    assert (none.unavailable["requests"], none.unavailable["hit_rate_ceiling"]) == (
        "Nobody looked.",
        "It was not given.",
    )
    assert RunTelemetry.from_json(json.loads(json.dumps(both.to_json()))) == both


def test_rates_in_json_stand_beside_each_other():
    written = _telemetry(**WHOLE).to_json()
    assert written["hit_rate"] == {"delivered": 0.8, "predicted": 0.85, "ceiling": 0.9}
    assert written["overflow"]["at_most"] == 0.2
