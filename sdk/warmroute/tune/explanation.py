"""The words of a result: why this length, whether it pays, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.tune.wording import milliseconds, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.inference_api import Api
    from warmroute.tune.candidates import Lengths
    from warmroute.tune.lengths import LengthProfile
    from warmroute.tune.profile import TrafficProfile
    from warmroute.tune.result import Expectation, TuningResult, Verdict

LEAST_GAIN = 0.03
"""A shorter mean TTFT by less is called nothing: 3 %."""

ACCURACY = (
    "How far to trust this: no run was checked on a GPU. Against published measurements of a real fleet the "
    "simulator's output rates were within 10 %, and its mean TTFTs below a second within a factor of 1.5, with one "
    "exception; absolute times may be 1.7 times too short. Ratios between strategies are safer than times, and hit "
    "rates than both. KV_AWARE is an upper bound. SageMaker does not publish its hash or where it sends what "
    "overflows: those are assumed. Take the two values as where to begin, and measure on the endpoint."
)


def verdict(strategies: Mapping[str, Expectation], *, is_safe: bool) -> tuple[Verdict, str, str]:
    """Whether PREFIX_AWARE pays: the verdict, the strategy to use, and the reason.

    Args:
        strategies: What each brings.
        is_safe: Whether the threshold recovered from every disturbance.
    """
    aware = strategies["PREFIX_AWARE"]
    without = {name: strategies[name] for name in ("LEAST_OUTSTANDING_REQUESTS", "RANDOM")}
    name, best = min(without.items(), key=lambda each: each[1].ttft_mean)
    gain = 1 - aware.ttft_mean / best.ttft_mean
    figures = (
        f"Against {name} the mean TTFT is {milliseconds(aware.ttft_mean)} instead of {milliseconds(best.ttft_mean)} "
        f"({-100 * gain:+.1f} %), the P90 {milliseconds(aware.ttft_p90)} instead of {milliseconds(best.ttft_p90)}, "
        f"the hit rate {percent(aware.hit_rate)} instead of {percent(best.hit_rate)}."
    )
    if not is_safe:
        return "unsafe", name, f"Every threshold tried left the fleet overflowing after a disturbance. {figures}"
    if gain <= LEAST_GAIN:
        return "gains nothing", name, f"{figures} Less than {percent(LEAST_GAIN)} is no gain: {name} serves as well."
    if aware.ttft_mean_most >= best.ttft_mean:
        slowest = f"its slowest run has {milliseconds(aware.ttft_mean_most)}"
        return "gains nothing", name, f"{figures} By where its keys fall, {slowest}: {name} may serve as well."
    return "gains", "PREFIX_AWARE", figures


def why(described: TrafficProfile, api: Api, lengths: Lengths, length: int, flat: tuple[int, int]) -> str:
    """Why a length was chosen.

    Args:
        described: The traffic.
        api: What unit a length has.
        lengths: What was measured.
        length: The chosen one.
        flat: The first and the last of those about as good.
    """
    unit = "bytes of the body" if api == "invoke" else "characters of message text"
    chosen = lengths.profiles[length]
    known = sorted(lengths.profiles)
    shorter = next((lengths.profiles[each] for each in reversed(known) if each < flat[0]), None)
    longer = next((lengths.profiles[each] for each in known if each > flat[1]), None)
    sentences = [
        f"Requests that are equal in their first {length:,} {unit} go to one instance, the others elsewhere.",
        _too_short(shorter, described.instances),
        _as_chosen(chosen, described),
        _too_long(longer, described),
        _flat(flat, length),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def cautions(result: TuningResult) -> list[str]:
    """What a reader should know before using the values."""
    found = []
    margin = result.margin
    threshold = result.recommendation.concurrency_threshold
    if margin.in_flight_overflowing is None:
        found.append(
            "The fleet cannot carry this load when requests do not go home, so a lasting overflow would not end by "
            f"itself: threshold {threshold} is far above what is in flight, and excess load must be shed elsewhere."
        )
    if margin.survives_from is not None and threshold < 1.2 * (margin.collapses_at or 0):
        found.append(f"Threshold {margin.collapses_at} collapsed, which is close to {threshold}.")
    if result.meets_slo is False:
        aware = result.strategies["PREFIX_AWARE"]
        found.append(
            f"The P90 TTFT is {milliseconds(aware.ttft_p90)}, above the wanted "
            f"{milliseconds(result.slo_ttft_p90_seconds or 0)}."
        )
    aware = result.strategies["PREFIX_AWARE"]
    if aware.largest_share > 2 * max(aware.least_share, 0.5 / result.instances):
        found.append(
            f"Load is uneven: one instance serves {percent(aware.largest_share)} of the requests, another "
            f"{percent(aware.least_share)}. A PrefixAwareId for each application or tenant spreads a frequent prefix."
        )
    return found


def _too_short(shorter: LengthProfile | None, instances: int) -> str:
    if shorter is None:
        return ""
    if shorter.keys == 1:
        return (
            f"Up to {shorter.prefix_length:,} all requests are equal: one instance would be home of all of them, and "
            "only the threshold would spread them."
        )
    if shorter.largest_share > 1 / instances:
        return (
            f"At {shorter.prefix_length:,} the most frequent of {shorter.keys:,} keys has "
            f"{percent(shorter.largest_share)} of the requests, more than an instance's share."
        )
    return f"At {shorter.prefix_length:,} there are {shorter.keys:,} keys, and the expected hit rate is lower."


def _as_chosen(chosen: LengthProfile, described: TrafficProfile) -> str:
    keys = f"With {chosen.prefix_length:,} there are {chosen.keys:,} keys, the most frequent with "
    keys += f"{percent(chosen.largest_share)} of the requests"
    if described.turns_per_session > 1:
        keys += f"; {percent(1 - chosen.changed_turns)} of the turns of a session keep the key of the turn before"
    return f"{keys}."


def _flat(flat: tuple[int, int], length: int) -> str:
    if flat[0] == flat[1]:
        return ""
    return (
        f"From {flat[0]:,} to {flat[1]:,} the expected hit rate is within half a point of the best; {length:,} keeps "
        "away from both ends, so that a head that grows a little does no harm."
    )


def _too_long(longer: LengthProfile | None, described: TrafficProfile) -> str:
    if longer is None:
        return ""
    if described.turns_per_session > 1 and longer.changed_turns > 0:
        return (
            f"At {longer.prefix_length:,} the key of {percent(longer.changed_turns)} of the turns changes, as "
            "conversations grow into the window, and turns of one session go to different instances."
        )
    return f"At {longer.prefix_length:,} there are {longer.keys:,} keys: text that differs enters the window."
