"""What the demo says of its figures."""

from __future__ import annotations

from dataclasses import replace

from warmroute.demo import Summary, example_spec, report_notes, report_rows
from warmroute.routing import PrefixAwareRoutingConfig

SUMMARY = Summary(
    requests=10,
    prefixes=4,
    instance_shares=(0.6, 0.4),
    instances_per_prefix=1.5,
    cache_hit_rate=0.825,
    ttft_p50_seconds=0.0684,
    ttft_p90_seconds=1.25,
)
SETTINGS = PrefixAwareRoutingConfig(prefix_length=4096, concurrency_threshold=16)


def test_rows_hold_every_figure_of_every_strategy() -> None:
    rows = report_rows({"RANDOM": SUMMARY, "PREFIX_AWARE": replace(SUMMARY, cache_hit_rate=0.1)})

    assert ("time to first token, P50", "68 ms", "68 ms") in rows
    assert ("time to first token, P90", "1,250 ms", "1,250 ms") in rows
    assert ("KV cache hit rate", "82%", "10%") in rows
    assert ("requests per instance", "60% 40%", "60% 40%") in rows


def test_notes_name_the_fleet_of_the_spec() -> None:
    notes = report_notes({"RANDOM": SUMMARY}, example_spec(), SETTINGS)

    assert notes[0] == "10 requests, 4 distinct beginnings of 4,096 bytes, 7 simulated ml.p5.48xlarge."
    assert len(notes) == 2


def test_notes_say_when_the_length_does_not_suit_the_traffic() -> None:
    def last(prefixes: int) -> str:
        return report_notes({"RANDOM": replace(SUMMARY, prefixes=prefixes)}, example_spec(), SETTINGS)[-1]

    assert "longer --prefix-length" in last(1)
    assert "shorter --prefix-length" in last(10)
