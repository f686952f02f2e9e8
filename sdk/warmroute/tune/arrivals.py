"""When observed requests arrive: as the trace tells, or drawn where it tells no times."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.wording import counted

if TYPE_CHECKING:
    import random
    from collections.abc import Hashable, Mapping, Sequence

    from warmroute.fleet import EngineProfile
    from warmroute.tune.observed import Observed
    from warmroute.tune.tokens import TokenCounts

PAUSE_SECONDS = 2.0
"""Mean pause from an answer to the session's next turn, where the trace tells no times."""

_MOST_WITHOUT_TIME = 0.1
"""Part of the requests without a time that may be left out; with more, all times are drawn."""

_MOST_SECONDS = 366 * 86_400.0
"""Longer is no trace of one traffic, but a mistake among its times."""

_LOAD = 0.5
"""A drawn rate asks of the fleet half of what it could serve if no prompt were cached."""

_SESSIONS_IN_A_ROW = 4
"""A drawn trace lasts at least so many times a session, so that it has a middle in which the load is even."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When requests arrive."""

    seconds: Mapping[int, float]
    """By position among the observed; what has no time in a trace of times is left out."""

    notes: tuple[str, ...]


def arrivals(
    observed: Observed,
    sessions: Sequence[Hashable],
    counts: TokenCounts,
    *,
    instances: int,
    profile: EngineProfile,
    requests_per_second: float | None,
    chance: random.Random,
) -> Arrivals:
    """Times of arrival, as the trace tells them, or drawn.

    Args:
        observed: The requests.
        sessions: What session each belongs to.
        counts: Tokens of each.
        instances: Instances of the fleet, for a rate that is not told.
        profile: What its engines are like.
        requests_per_second: Mean rate; None for that of the trace, or a derived one.
        chance: Draws what is not told.

    Raises:
        WarmrouteError: The times are more than a year apart.
    """
    timed = {row: at for row, at in enumerate(observed.arrival_seconds) if at is not None and isfinite(at)}
    if len(timed) < (1 - _MOST_WITHOUT_TIME) * len(observed) or min(timed.values()) == max(timed.values()):
        missing = _what_is_missing(len(timed), len(observed))
        return _drawn(missing, sessions, counts, instances, profile, requests_per_second, chance)
    span = max(timed.values()) - min(timed.values())
    if span > _MOST_SECONDS:
        raise WarmrouteError(
            f"The arrivals span {span / 86_400:,.0f} days.",
            "Give a trace of a year at most: a time in another unit, or without a date, may be among these.",
        )
    notes = []
    if len(timed) < len(observed):
        notes.append(f"Left out: {counted(len(observed) - len(timed), 'request')} without a time.")
    coarsest = max(resolution or 0.0 for resolution in observed.arrival_resolution_seconds)
    seconds = timed
    if coarsest > 0:
        seconds = _spread(timed, sessions, observed, chance)
        notes.append(
            f"The clock of the trace ticks every {coarsest:g} s: times are spread at random between its ticks."
        )
    if requests_per_second is not None:
        span = max(seconds.values()) - min(seconds.values())
        factor = (len(seconds) - 1) / span / requests_per_second
        seconds = {row: at * factor for row, at in seconds.items()}
        notes.append(f"Times are stretched by {factor:.3g}, to {requests_per_second:g} requests a second as asked for.")
    return Arrivals(seconds, tuple(notes))


def _spread(
    timed: Mapping[int, float], sessions: Sequence[Hashable], observed: Observed, chance: random.Random
) -> dict[int, float]:
    """Times between the ticks of a coarse clock; turns of a session keep their order."""
    ticks: defaultdict[tuple[Hashable, float], list[int]] = defaultdict(list)
    for row in sorted(timed, key=lambda row: (timed[row], observed.turn[row] or 0, row)):
        ticks[sessions[row], timed[row]].append(row)
    seconds = {}
    for rows in ticks.values():
        for row, part in zip(rows, sorted(chance.random() for _ in rows), strict=True):
            seconds[row] = timed[row] + part * (observed.arrival_resolution_seconds[row] or 0.0)
    return seconds


def _what_is_missing(timed: int, requests: int) -> str:
    if not timed:
        return "The trace tells no times of arrival."
    if timed < requests:
        missing = f"{requests - timed:,} of {requests:,} requests"
        return f"The trace tells no time of arrival of {missing}, so that none is used."
    return "The trace tells one time of arrival for all requests."


def _drawn(
    missing: str,
    sessions: Sequence[Hashable],
    counts: TokenCounts,
    instances: int,
    profile: EngineProfile,
    requests_per_second: float | None,
    chance: random.Random,
) -> Arrivals:
    """Sessions that begin at random; each turn follows the last one's answer after a pause."""
    turns: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, session in enumerate(sessions):
        turns[session].append(row)
    answer = [_answer_seconds(tokens, profile) for tokens in counts.output_tokens]
    rate, why = requests_per_second, "as asked for"
    if rate is None:
        busy = fmean(
            _busy_seconds(*each, profile) for each in zip(counts.input_tokens, counts.output_tokens, strict=True)
        )
        rate, why = _LOAD * instances / busy, "half of what the fleet could serve if no prompt were cached"
        session_seconds = (sum(answer) + PAUSE_SECONDS * (len(sessions) - len(turns))) / len(turns)
        steady = len(sessions) / (_SESSIONS_IN_A_ROW * session_seconds)
        if len(turns) < len(sessions) and steady < rate:
            rate, why = steady, f"so that the trace lasts {_SESSIONS_IN_A_ROW} times a session"
        rate = float(f"{rate:.2g}")
    seconds = {}
    start = 0.0
    for rows in turns.values():
        start += chance.expovariate(rate * len(turns) / len(sessions))
        at = start
        for row in rows:
            seconds[row] = at
            at += answer[row] + chance.expovariate(1 / PAUSE_SECONDS)
    note = f"{missing} They were drawn: {rate:g} requests a second, {why}"
    if len(turns) < len(sessions):
        note += (
            f"; {rate * len(turns) / len(sessions):.2g} sessions a second begin at random, and a turn follows the last "
            f"answer after {PAUSE_SECONDS:g} s on average"
        )
    return Arrivals(seconds, (f"{note}.",))


def _answer_seconds(output_tokens: int, profile: EngineProfile) -> float:
    return profile.cost_model.request_seconds + profile.cost_model.decode_seconds(1, 0, output_tokens)


def _busy_seconds(input_tokens: int, output_tokens: int, profile: EngineProfile) -> float:
    """What a request costs an engine: its whole prefill, and its part of the steps that decode it with 31 others."""
    prefill = profile.cost_model.step_seconds(input_tokens, 0, [(input_tokens, 0)])
    return prefill + profile.cost_model.decode_seconds(32, 32 * input_tokens, output_tokens) / 32
