"""When each request of a trace is to be sent, and what is sent then."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from warmroute.errors import WarmrouteError
from warmroute.measure.replay.parts import part_of, requests_of_part
from warmroute.measure.segmenting import SegmentBy, segment_of
from warmroute.prefix import CanonicalJsonError
from warmroute.traffic import arrivals, poisson_arrivals

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from warmroute.measure.replay.bodies import Bodies, Body
    from warmroute.measure.replay.options import Load
    from warmroute.traffic import TrafficRequest

PLACED_AT_RANDOM = "placed at random within the tick of the trace's coarse clock"
"""Note of requests whose time depends on the seed."""

_OUT_OF_ORDER_SECONDS = 60.0
"""How far a trace may step back in time: writers of logs are late by less, and files in a wrong order by more."""


class Planned(NamedTuple):
    """One request of a replay."""

    number: int
    """Its place in the trace, from 0."""

    planned_seconds: float | None
    """When it is sent, from the start of the run; None if that depends on an answer."""

    delay_seconds: float
    """Time from the answer before it in its session, where ``planned_seconds`` is None."""

    session: str
    prefix_aware_id: str
    input_tokens: int | None
    body: Body

    segment: str = ""
    """The part of the traffic that it belongs to; empty without any."""


def planned(
    requests: Iterable[TrafficRequest], load: Load, bodies: Bodies, *, segment_by: SegmentBy = SegmentBy.NONE
) -> Iterator[Planned]:
    """The requests of a replay, in the order of their times.

    Args:
        requests: Of a trace, in its order.
        load: When they are sent, and how many.
        bodies: Makes what is sent; told what had to be done for it.
        segment_by: What makes requests a segment of the traffic.

    Raises:
        WarmrouteError: Requests without times and no rate; times far out of order; a body that cannot be sent.
    """
    if load.rate is not None:
        chosen = _at_rate(requests, load)
    else:
        chosen = part_of(in_time(requests, load, bodies.notes), load, bodies.notes)
    for number, request in chosen:
        yield Planned(
            number,
            request.arrival_seconds,
            request.delay_seconds or 0.0,
            request.session,
            request.prefix_aware_id,
            request.input_tokens,
            _body(request, bodies),
            segment_of(request, segment_by),
        )


def in_time(
    requests: Iterable[TrafficRequest], load: Load, notes: Counter[str]
) -> Iterator[tuple[int, TrafficRequest]]:
    """The requests of a whole trace with their places in it, their times from 0 and at the speed of a load.

    Args:
        requests: Of a trace, in its order.
        load: Its part is not looked at; nor are times where a rate replaces them.
        notes: Told what had to be done.

    Raises:
        WarmrouteError: Requests without times and no rate; times far out of order.
    """
    if load.rate is not None:
        return enumerate(requests)
    chance = random.Random(load.seed)  # noqa: S311 - no secret.
    return enumerate(_from_zero(_spread(requests, chance), load.speed, notes))


def _at_rate(requests: Iterable[TrafficRequest], load: Load) -> Iterator[tuple[int, TrafficRequest]]:
    if load.speed != 1.0 or load.rate is None:
        raise WarmrouteError("A rate replaces the trace's times, so that there is nothing to speed up.", "Give one.")
    first = load.part * (requests_of_part(load) or 0)
    limit = load.duration_seconds or math.inf
    times = itertools.takewhile(lambda at: at < limit, poisson_arrivals(load.rate, limit, seed=load.seed))
    rest = itertools.islice(requests, first, None)
    timed = arrivals(rest, times, concurrent_sessions=load.concurrent_sessions, seed=load.seed)
    return enumerate(itertools.islice(timed, load.requests), first)


def _spread(requests: Iterable[TrafficRequest], chance: random.Random) -> Iterator[TrafficRequest]:
    """Requests of one tick of a coarse clock spread over it: all at its beginning would be a burst that never was."""
    for (at, tick), group in itertools.groupby(
        requests, key=lambda each: (each.arrival_seconds, each.arrival_resolution_seconds)
    ):
        if at is None or tick < _COARSE_SECONDS:
            yield from group
            continue
        together = list(group)
        for place, request in zip(sorted(chance.random() for _ in together), together, strict=True):
            yield replace(request, arrival_seconds=at + place * tick)


_COARSE_SECONDS = 0.5
"""Ticks from which requests are spread; those of milliseconds are as good as none."""


def _from_zero(requests: Iterable[TrafficRequest], speed: float, notes: Counter[str]) -> Iterator[TrafficRequest]:
    """Requests whose times begin with 0, none before the one above it."""
    begin: float | None = None
    latest = 0.0
    for request in requests:
        where = f"{request.source}:{request.line}"
        if request.arrival_seconds is None:
            if request.delay_seconds is None:
                raise WarmrouteError(
                    f"{where}: the trace does not say when it came.", "Give a rate, in requests a second."
                )
            yield replace(request, delay_seconds=request.delay_seconds / speed)
            continue
        begin = request.arrival_seconds if begin is None else begin
        at = (request.arrival_seconds - begin) / speed
        if at < latest:
            if (latest - at) * speed > _OUT_OF_ORDER_SECONDS:
                raise WarmrouteError(
                    f"{where}: arrives {(latest - at) * speed:,.0f} s before a request above it.",
                    "Bring the trace into the order of its times: warmroute convert TRACE --to aiperf -o trace.jsonl",
                )
            notes["sent a little later, since they arrive before one above them"] += 1
            at = latest
        latest = at
        if request.arrival_resolution_seconds >= _COARSE_SECONDS:
            notes[PLACED_AT_RANDOM] += 1
        yield replace(request, arrival_seconds=at)


def _body(request: TrafficRequest, bodies: Bodies) -> Body:
    try:
        return bodies.body_of(request)
    except CanonicalJsonError:
        fault = "the request has no canonical form"
    except RecursionError:
        fault = "the body is nested too deep"
    raise WarmrouteError(f"{request.source}:{request.line}: {fault}.", "Take it out of the trace.")
