"""Arrivals for requests without times: those of a stated process, or of another trace."""

from __future__ import annotations

import itertools
import random
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from warmroute.traffic.errors import TrafficError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.traffic.record import TrafficRequest


def arrivals(
    requests: Iterable[TrafficRequest], times: Iterable[float], *, concurrent_sessions: int = 1, seed: int = 0
) -> Iterator[TrafficRequest]:
    """Requests with the arrivals of a stated process, for example ``poisson_arrivals(rate, math.inf)``.

    Args:
        requests: In any order that has the turns of a session in theirs; ends with the times if these are fewer.
        times: Seconds from 0, in order.
        concurrent_sessions: Sessions that are held at the same time; with 1, the order stays. A trace without times
            often has one session after the other, as nobody's traffic comes.
        seed: Of the choice which session goes on next; the same seed gives the same order.

    Raises:
        TrafficError: Fewer than one session at a time.
    """
    if concurrent_sessions < 1:
        raise TrafficError(f"concurrent_sessions is {concurrent_sessions}.", "Give 1 or more.")
    mixed = requests if concurrent_sessions == 1 else _mixed(requests, concurrent_sessions, random.Random(seed))  # noqa: S311 - no secret.
    for at, request in zip(times, mixed, strict=False):
        yield replace(request, arrival_seconds=at, arrival_resolution_seconds=0.0, delay_seconds=None)


def with_timings(requests: Iterable[TrafficRequest], timings: Iterable[TrafficRequest]) -> Iterator[TrafficRequest]:
    """Requests with the arrivals and output lengths of a trace that has no texts, the first with the first.

    Args:
        requests: With texts; their own times are dropped, and their input lengths stay as they are.
        timings: Of Azure or BurstGPT, for example. It ends with the fewer of both.

    Raises:
        TrafficError: A timing without arrival.
    """
    for timing, request in zip(timings, requests, strict=False):
        if timing.arrival_seconds is None:
            raise TrafficError(f"{timing.source}:{timing.line}: no arrival.", "Give a trace that has times.")
        yield replace(
            request,
            arrival_seconds=timing.arrival_seconds,
            arrival_resolution_seconds=timing.arrival_resolution_seconds,
            delay_seconds=None,
            output_tokens=timing.output_tokens,
            output_characters=None if timing.output_tokens is not None else request.output_characters,
        )


def _mixed(requests: Iterable[TrafficRequest], sessions: int, chance: random.Random) -> Iterator[TrafficRequest]:
    """Sessions side by side: a new one is opened, in the order of the requests, when one has ended.

    A session is what follows each other under one name; it is held as a whole.
    """
    runs = itertools.groupby(enumerate(requests), key=lambda each: each[1].session or each[0])
    held: dict[str | int, deque[TrafficRequest]] = {}
    more = True
    while more or held:
        while more and len(held) < sessions:
            run = next(runs, None)
            if run is None:
                more = False
            else:
                held.setdefault(run[0], deque()).extend(request for _, request in run[1])
        if held:
            name = chance.choice(list(held))
            yield held[name].popleft()
            if not held[name]:
                del held[name]
