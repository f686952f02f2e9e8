"""What servers counted between two samples: restarts, gaps, buckets and bounds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from warmroute.measure.telemetry import vllm_names
from warmroute.measure.telemetry.figures import Figures
from warmroute.measure.telemetry.histogram import quantile, server_ttft
from warmroute.measure.telemetry.overflow_bound import overflow_bound
from warmroute.measure.telemetry.prometheus_text import samples
from warmroute.measure.telemetry.rounds import Counter, Gauge, Reading, Round
from warmroute.measure.telemetry.vllm import reading_of

COUNTS = st.integers(0, 1_000)


def _rounds(*of_instances):
    """Rounds of instances a, b, …, each a list of readings, None for a missing one."""
    return [
        Round(float(at), {name: reading for name, reading in zip("abcdef", found, strict=False) if reading is not None})
        for at, found in enumerate(zip(*of_instances, strict=True))
    ]


def _requests(*values):
    return [None if value is None else Reading({Counter.REQUESTS: float(value)}) for value in values]


def _counted(*of_instances, appear_from_zero=False):
    return Figures(_rounds(*of_instances), appear_from_zero=appear_from_zero).counted(Counter.REQUESTS)


@given(st.lists(COUNTS, min_size=2))
def test_without_a_restart_it_is_the_last_less_the_first(grown):
    values = [sum(grown[: index + 1]) for index in range(len(grown))]
    assert _counted(_requests(*values)) == values[-1] - values[0]


@given(st.lists(st.lists(COUNTS, min_size=1), min_size=1), COUNTS)
def test_restarts_lose_only_what_no_sample_saw(lives, before):
    """Each life counts up from zero and is sampled after each growth: all that was sampled is counted."""
    values = [before]
    for number, life in enumerate(lives):
        total = before if number == 0 else 0
        for growth in life:
            total += growth
            values.append(total)
    counted, true = _counted(_requests(*values)), sum(map(sum, lives))
    assert 0 <= counted <= true
    if all(number == 0 or life[0] < values[sum(map(len, lives[:number]))] for number, life in enumerate(lives)):
        assert counted == true  # Every restart was noticed, since its first sample was lower.


@given(st.lists(st.none() | COUNTS, min_size=2))
def test_missing_samples_change_nothing_but_the_detail(gaps):
    total, values = 0, []
    for gap in gaps:
        total += gap or 0
        values.append(None if gap is None else total)
    seen = [value for value in values if value is not None]
    expected = float(seen[-1] - seen[0]) if len(seen) > 1 else None
    assert _counted(_requests(*values)) == expected


def test_a_restart_is_told_once_and_seen_on_any_counter():
    before = Reading({Counter.REQUESTS: 5.0, Counter.HIT_TOKENS: 900.0})
    after = Reading({Counter.REQUESTS: 7.0, Counter.HIT_TOKENS: 100.0})
    figures = Figures(_rounds([before, after, after]), appear_from_zero=False)

    assert (figures.counted(Counter.REQUESTS), figures.counted(Counter.HIT_TOKENS)) == (7, 100)
    assert figures.notes() == [
        "a: its counters began anew once; what it counted between its last sample and then is missing."
    ]


def test_a_restart_is_seen_by_the_start_of_the_process():
    readings = [Reading({Counter.REQUESTS: 5.0}, started=1.0), Reading({Counter.REQUESTS: 6.0}, started=9.0)]
    assert Figures(_rounds(readings), appear_from_zero=False).counted(Counter.REQUESTS) == 6


def test_instances_that_come_within_the_run_and_go():
    a, b = _requests(10, 20, None), _requests(None, 4, 6)
    assert _counted(a, b, appear_from_zero=True) == 10 + 6
    assert _counted(a, b, appear_from_zero=False) == 10 + 2
    assert "a: it went away" in Figures(_rounds(a, b), appear_from_zero=True).notes()[0]


def test_shares_of_engines_that_count_only_what_is_over():
    def engine(*finished_and_there):
        return [
            Reading({Counter.FINISHED: float(finished)}, {Gauge.IN_FLIGHT: float(there)})
            for finished, there in finished_and_there
        ]

    values = Figures(_rounds(engine((5, 1), (7, 2)), engine((0, 0), (0, 1))), appear_from_zero=False).values()
    assert (values["requests"], values["instance_shares"]) == (4, {"a": 0.75, "b": 0.25})


def test_gauges_are_those_of_moments_at_which_everybody_answered():
    def engine(*values):
        return [None if v is None else Reading(gauges={Gauge.WAITING: v, Gauge.KV_CACHE_USAGE: v / 10}) for v in values]

    rounds = _rounds(engine(1, 2, 3), engine(4, 5, 6))
    rounds[1].readings["b"].gauges.pop(Gauge.WAITING)
    values = Figures(rounds, appear_from_zero=False).values()
    assert [(point.seconds, point.value) for point in values["queue_depth"]] == [(0, 5), (2, 9)]
    assert [point.value for point in values["kv_cache_usage"]] == [0.4, 0.5, 0.6]


def test_quantiles_of_buckets():
    buckets = {0.1: 50.0, 0.5: 90.0, math.inf: 100.0}
    assert quantile(buckets, 0.25) == pytest.approx(0.05)
    assert quantile(buckets, 0.9) == pytest.approx(0.5)
    assert quantile(buckets, 0.99) is None
    assert quantile({}, 0.5) is None
    assert quantile({0.1: 0.0, math.inf: 0.0}, 0.5) is None
    assert server_ttft(buckets, 20.0, 100.0).mean_seconds == pytest.approx(0.2)
    assert server_ttft(buckets, 0.0, 0.0) is None


@given(st.lists(st.floats(0, 200), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_a_quantile_lies_in_the_bucket_of_the_true_one(times, q):
    bounds = (0.1, 1.0, 10.0, 100.0, math.inf)
    buckets = {bound: float(sum(time <= bound for time in times)) for bound in bounds}
    true = sorted(times)[math.ceil(q * len(times) - 1e-9) - 1]
    found = quantile(buckets, q)
    bucket = next(bound for bound in bounds if true <= bound)
    if bucket == math.inf:
        assert found is None
    else:
        lower = max([0.0, *(bound for bound in bounds if bound < bucket)])
        assert lower - 1e-9 <= found <= bucket + 1e-9


@given(
    st.lists(
        st.tuples(st.sampled_from(["come", "come", "leave", "sample"]), st.integers(0, 1)), min_size=1, max_size=80
    ),
    st.integers(1, 4),
)
def test_no_more_overflows_than_the_bound_says(events, threshold):
    """A router with two engines, sampled now and then: the true share is never above the bound."""
    there, finished, overflowed, came, at = [0, 0], [0, 0], 0, 0, 0
    rounds = []

    def sample():
        rounds.append(
            Round(
                float(len(rounds)),
                {
                    str(engine): Reading(
                        {Counter.FINISHED: float(finished[engine])}, {Gauge.IN_FLIGHT: float(there[engine])}
                    )
                    for engine in (0, 1)
                },
            )
        )

    sample()
    for event, home in events:
        if event == "come":
            at = 1 - home if there[home] >= threshold else home
            overflowed += at != home
            came += 1
            there[at] += 1
        elif event == "leave" and there[home]:
            there[home] -= 1
            finished[home] += 1
        elif event == "sample":
            sample()
    sample()
    bound = overflow_bound(rounds, threshold)
    if bound is None:
        assert came == 0
    else:
        assert overflowed / came <= bound.at_most + 1e-9


def test_a_quiet_fleet_cannot_have_overflowed():
    def engine(*finished):
        return [Reading({Counter.FINISHED: float(count)}, {Gauge.IN_FLIGHT: 0.0}) for count in finished]

    assert overflow_bound(_rounds(engine(0, 1, 2), engine(0, 0, 9)), 5).at_most == pytest.approx(10 / 11)
    assert overflow_bound(_rounds(engine(0, 1, 2), engine(0, 0, 2)), 5).at_most == 0
    assert overflow_bound(_rounds([Reading(), Reading()]), 5) is None


LABELS = st.dictionaries(
    st.from_regex(r"[a-z][a-z_]{0,5}", fullmatch=True).filter(lambda name: name != "le"),
    st.text(st.sampled_from('ab"\\{}=,\n é😀')),
    max_size=3,
)


@given(st.lists(st.tuples(LABELS, st.floats(allow_nan=False)), max_size=5))
def test_text_is_read_as_prometheus_reads_it(lines):
    def escaped(text):
        return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

    text = "# TYPE wanted gauge\n" + "".join(_line(labels, value, escaped) for labels, value in lines)
    expected = [
        (dict(sample.labels), sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    ]
    found = samples(text.encode("utf-8", "surrogatepass"), ["wanted"])
    assert [(dict(sample.labels), sample.value) for sample in found] == expected


def _line(labels, value, escaped):
    inner = ",".join(f'{name}="{escaped(text)}"' for name, text in labels.items())
    return f"wanted{{{inner}}} {value!r}\n"


def test_only_what_is_asked_for_is_read():
    text = b'# HELP a b 1\na_total 1\na 2\na{x="}"} 3 1700000000000\nab 4\na nan\na{ 5\nbroken\n'
    assert [sample.value for sample in samples(text, ["a"])] == [2.0, 3.0]


@pytest.mark.parametrize(
    ("hits", "queries", "usage"),
    [
        ("vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total", "vllm:kv_cache_usage_perc"),
        ("vllm:gpu_prefix_cache_hits_total", "vllm:gpu_prefix_cache_queries_total", "vllm:gpu_cache_usage_perc"),
    ],
)
def test_names_of_new_and_old_releases_of_vllm(hits, queries, usage):
    text = f"""{hits}{{engine="0"}} 800
{hits}{{engine="1"}} 100
{queries}{{engine="0"}} 1000
{queries}{{engine="1"}} 1000
{usage}{{engine="0"}} 0.5
{usage}{{engine="1"}} 0.75
vllm:num_requests_running{{engine="0"}} 3
vllm:num_requests_waiting{{engine="0"}} 2
vllm:request_success_total{{finished_reason="stop"}} 5
vllm:request_success_total{{finished_reason="length"}} 6
vllm:time_to_first_token_seconds_bucket{{le="0.1"}} 4
vllm:time_to_first_token_seconds_bucket{{le="+Inf"}} 11
vllm:time_to_first_token_seconds_sum 2.5
vllm:time_to_first_token_seconds_count 11
"""
    reading = reading_of(samples(text.encode(), vllm_names.ALL))
    assert reading.counters == {
        Counter.FINISHED: 11,
        Counter.QUERIED_TOKENS: 2_000,
        Counter.HIT_TOKENS: 900,
        Counter.TTFT_COUNT: 11,
        Counter.TTFT_SECONDS: 2.5,
    }
    assert reading.gauges == {Gauge.WAITING: 2, Gauge.IN_FLIGHT: 5, Gauge.KV_CACHE_USAGE: 0.75}
    assert reading.ttft_buckets == {0.1: 4, math.inf: 11}
