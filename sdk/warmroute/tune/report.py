"""What a profile and a tuning say, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.tune.explanation import ACCURACY
from warmroute.tune.wording import milliseconds, percent, table, wrapped
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warmroute.inference_api import Api
    from warmroute.tune.lengths import LengthProfile
    from warmroute.tune.profile import TrafficProfile
    from warmroute.tune.result import Alternative, Expectation, Margin, TuningResult
    from warmroute.tune.simulation import Simulated

_UNITS: Mapping[Api, str] = {
    "invoke": "bytes of the body (InvokeEndpoint)",
    "openai": "characters of text (OpenAI API)",
}


def profile_lines(profile: TrafficProfile) -> Iterator[str]:
    """The report of `warmroute profile`."""
    yield (
        f"{counted(profile.requests, 'request')} of {counted(profile.sessions, 'session')} in "
        f"{profile.seconds:,.0f} s: {profile.requests_per_second:.3g} a second, "
        f"{profile.peak_factor:.2g} times that in the busiest 10 s"
    )
    yield f"variance over mean of the arrivals in 10 s: {profile.burstiness:.2g} (independent clients: about 1)"
    yield f"prompts of {profile.input_tokens:,.0f} tokens and answers of {profile.output_tokens:,.0f}, on average"
    yield ""
    yield from wrapped(
        f"Hit rate of the whole trace, from empty caches: {percent(profile.hit_rate_ceiling)} at most, in one cache "
        f"without a limit; {percent(profile.hit_rate_without_affinity)} when {profile.instances} such caches are "
        "chosen at random. The difference is what affinity can bring."
    )
    for api, lengths in profile.lengths.items():
        yield ""
        yield _head(profile, api)
        yield from _ladder(lengths)
    if profile.volatile:
        yield ""
        yield "text in the window that probably changes from call to call:"
        for each in profile.volatile:
            where = f"{each.path or 'the top'}, from {each.first_offset:,} on"
            yield f"  {each.kind} at {where}, in {each.requests} of the first requests"
            yield f"    {each.remedy}"
    yield from _remarks(profile.notes, profile.cautions)


def tuning_lines(result: TuningResult) -> Iterator[str]:
    """The report of `warmroute tune`."""
    chosen = result.recommendation
    yield f"prefix_length: {chosen.prefix_length}"
    yield f"concurrency_threshold: {chosen.concurrency_threshold}"
    yield ""
    yield from wrapped(f"Verdict: {result.verdict}. {result.verdict_reason}")
    if result.meets_slo is not None and result.slo_ttft_p90_seconds is not None:
        verb = "is met" if result.meets_slo else "is missed"
        yield f"The wanted P90 of {milliseconds(result.slo_ttft_p90_seconds)} {verb}."
    yield ""
    yield from wrapped(f"Why this length (figures of the first half of the trace). {result.why}")
    yield ""
    yield from wrapped(f"Why this threshold. {_threshold(result)}")
    yield ""
    yield from wrapped(
        "Hit rate of the second half, in closed form, with caches that have no limit and hold the first half: at most "
        f"{percent(result.hit_rate_ceiling)}, predicted {percent(result.hit_rate_predicted)}, without affinity "
        f"{percent(result.hit_rate_without_affinity)}."
    )
    yield ""
    yield "expected on the second half of the trace, on which nothing was chosen (mean of 3 runs):"
    yield from _expectations(result.strategies)
    yield ""
    yield "the minute after an instance is added:"
    yield from _expectations(result.scale_out, result.new_instance_share)
    yield ""
    yield f"other lengths, at threshold {chosen.concurrency_threshold}:"
    yield from _alternatives(result.other_lengths, "prefix_length", result.strategies["PREFIX_AWARE"])
    yield ""
    yield f"other thresholds, at length {chosen.prefix_length}:"
    yield from _alternatives(result.other_thresholds, "concurrency_threshold", result.strategies["PREFIX_AWARE"])
    yield from _remarks(result.notes, result.cautions)
    yield ""
    yield from wrapped(ACCURACY)
    yield ""
    yield f"{counted(result.simulated_requests, 'request')} simulated, seed {result.seed}."


def simulation_lines(result: Simulated) -> Iterator[str]:
    """The report of `warmroute simulate`."""
    yield f"{counted(result.requests, 'request')}, {result.requests_per_second:.3g} a second, seed {result.seed}"
    if result.prefix_length is not None:
        yield f"prefix_length {result.prefix_length}, concurrency_threshold {result.concurrency_threshold}"
    yield from _expectations({result.routing_strategy: result.expectation})
    yield from _remarks(result.notes, result.cautions)


def _head(profile: TrafficProfile, api: Api) -> str:
    least, most = profile.common_head[api]
    head = (
        f"all requests are equal up to {least:,}, not up to {most:,}"
        if least
        else f"not all requests have the same first {most:,}"
    )
    return f"{_UNITS[api]}: {head}"


def _ladder(lengths: Sequence[LengthProfile]) -> Iterator[str]:
    head = ("length", "keys", "largest", "reuse", "turns that change", "too short", "hit rate")
    yield from table(
        head,
        [
            (
                f"{each.prefix_length:,}",
                f"{each.keys:,}",
                percent(each.largest_share),
                f"{each.reuse:,.1f}",
                percent(each.changed_turns),
                percent(each.changed_short_turns),
                percent(each.hit_rate),
            )
            for each in lengths
        ],
    )


def _expectations(expectations: Mapping[str, Expectation], new: Mapping[str, float] | None = None) -> Iterator[str]:
    head = ["", "TTFT P50", "P90", "P99", "hit rate", "overflow", "share of an instance", "tokens/s"]
    rows = []
    for name, each in expectations.items():
        rows.append(
            [
                name,
                milliseconds(each.ttft_p50),
                milliseconds(each.ttft_p90),
                milliseconds(each.ttft_p99),
                percent(each.hit_rate),
                percent(each.overflow_share),
                f"{percent(each.least_share)} to {percent(each.largest_share)}",
                f"{each.output_tokens_per_second:,.0f}",
            ]
        )
        if new is not None:
            rows[-1].append(percent(new[name]))
    yield from table([*head, "new instance"] if new is not None else head, rows)


def _alternatives(alternatives: Sequence[Alternative], name: str, chosen: Expectation) -> Iterator[str]:
    head = ("", "keys", "TTFT P50", "P90", "mean", "of the chosen", "hit rate", "overflow", "largest share")
    yield from table(
        head,
        [
            (
                f"{getattr(each, name):,}",
                f"{each.keys:,}",
                milliseconds(each.expectation.ttft_p50),
                milliseconds(each.expectation.ttft_p90),
                milliseconds(each.expectation.ttft_mean),
                f"{100 * (each.expectation.ttft_mean / chosen.ttft_mean - 1):+.1f} %",
                percent(each.expectation.hit_rate),
                percent(each.expectation.overflow_share),
                percent(each.expectation.largest_share),
            )
            for each in alternatives
        ],
    )


def _threshold(result: TuningResult) -> str:
    margin = result.margin
    threshold = result.recommendation.concurrency_threshold
    overflowing = (
        "grows without end when none does"
        if margin.in_flight_overflowing is None
        else f"{margin.in_flight_overflowing:.1f} when none does"
    )
    low, high = result.flat_thresholds
    return (
        f"In the busiest 10 s an instance has {margin.in_flight_healthy:.1f} requests in flight when they go home, and "
        f"{overflowing}. A threshold between the two can leave the fleet overflowing after a burst; one just above the "
        f"first sends requests away by chance alone. Of those tried, {low} to {high} are about equally fast. "
        f"{_disturbed(margin, threshold)}"
    )


def _disturbed(margin: Margin, threshold: int) -> str:
    tried = ", ".join(margin.disturbances)
    if margin.survives_from is None:
        return f"None recovered from all of: {tried}."
    sentence = f"Tested with {tried}: {threshold} recovered from each, as did all from {margin.survives_from} up"
    if margin.collapses_at is None:
        return f"{sentence}; none of those tried collapsed."
    names = ", ".join(margin.collapses[-1].after)
    return (
        f"{sentence}; {margin.collapses_at} did not recover from {names}. The margin is a factor of "
        f"{threshold / margin.collapses_at:.1f}."
    )


def _remarks(notes: Sequence[str], cautions: Sequence[str]) -> Iterator[str]:
    for title, sentences in (("assumed", notes), ("careful", cautions)):
        if sentences:
            yield ""
            yield f"{title}:"
            for sentence in sentences:
                yield from wrapped(sentence, lead="- ")
