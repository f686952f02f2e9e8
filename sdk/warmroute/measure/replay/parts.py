"""Parts of a trace that is longer than a run: stretches of the length of one, the first from its beginning."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from warmroute.measure.replay.options import Load
    from warmroute.traffic import TrafficRequest

    Numbered = tuple[int, TrafficRequest]
    """A request and its place in the trace, from 0."""

LEFT_OUT = "left out, since the answer that they wait for comes before their part"
"""Note of turns whose session goes on from one part to the next, in a trace that tells pauses instead of times."""

_WHOLE = 0.95
"""A part counts from so much of its length on: a trace of an hour ends a moment before its sixtieth minute does."""

_LEAST_OF_MEDIAN = 0.5


class Part(NamedTuple):
    """A part of a trace."""

    number: int
    """From 0, in the order of the trace."""

    requests: int


def requests_of_part(load: Load) -> int | None:
    """How many requests make a part; None where its length is a time, or the whole trace is one.

    Args:
        load: Tells the length of a run.
    """
    if load.rate is not None and load.duration_seconds is not None:
        drawn = math.ceil(load.rate * load.duration_seconds)
        return drawn if load.requests is None else min(drawn, load.requests)
    return load.requests if load.duration_seconds is None else None


def part_of(requests: Iterable[Numbered], load: Load, notes: Counter[str]) -> Iterator[Numbered]:
    """The requests of the part that a load names, their times from its beginning.

    Args:
        requests: Of the whole trace, in the order of their times, which begin with 0.
        load: Tells the part and its length.
        notes: Told what had to be left out.
    """
    size = requests_of_part(load)
    if size is None:
        seconds = load.duration_seconds or math.inf
        begin = load.part * seconds if load.part else 0.0
        found = _between(requests, begin, begin + seconds, notes)
    else:
        found = _from_first(_whole_sessions(itertools.islice(requests, load.part * size, None), load, notes))
    return itertools.islice(found, load.requests)


def parts(requests: Iterable[Numbered], load: Load, most: int) -> tuple[Sequence[Part], int]:
    """The parts that a trace has, without those that have less than half of the usual number of requests.

    Args:
        requests: Of the whole trace, as for ``part_of``; read no further than the last part wanted.
        load: Tells the length of a part.
        most: How many are wanted.

    Returns:
        The parts, at least one, and how many were left out.
    """
    size = requests_of_part(load)
    if size is not None:
        total = sum(1 for _ in itertools.islice(requests, most * size))
        return [Part(number, size) for number in range(max(1, total // size))], 0
    if load.duration_seconds is None:
        return [Part(0, sum(1 for _ in requests))], 0
    seconds, counts, latest = load.duration_seconds, Counter[int](), 0.0
    for _, request in requests:
        latest = latest if request.arrival_seconds is None else request.arrival_seconds
        if latest >= most * seconds:
            break
        counts[int(latest // seconds)] += 1
    whole = [Part(n, counts[n]) for n in range(most) if latest >= (n + _WHOLE) * seconds] or [Part(0, counts[0])]
    least = _LEAST_OF_MEDIAN * median(part.requests for part in whole)
    usual = [part for part in whole if part.requests >= max(1.0, least)] or whole[:1]
    return usual, len(whole) - len(usual)


def _between(requests: Iterable[Numbered], begin: float, end: float, notes: Counter[str]) -> Iterator[Numbered]:
    sessions: set[str] = set()
    for number, request in requests:
        at = request.arrival_seconds
        if at is None:
            if begin == 0 or request.session in sessions:
                yield number, request
            elif sessions:
                notes[LEFT_OUT] += 1
        elif at >= end:
            return
        elif at >= begin:
            sessions.add(request.session)
            yield number, replace(request, arrival_seconds=at - begin)


def _whole_sessions(requests: Iterable[Numbered], load: Load, notes: Counter[str]) -> Iterator[Numbered]:
    """Without turns that wait for an answer of an earlier part."""
    sessions: set[str] = set()
    for number, request in requests:
        if load.part and request.arrival_seconds is None and request.session not in sessions:
            notes[LEFT_OUT] += 1
            continue
        sessions.add(request.session)
        yield number, request


def _from_first(requests: Iterable[Numbered]) -> Iterator[Numbered]:
    begin: float | None = None
    for number, request in requests:
        at = request.arrival_seconds
        if at is None:
            yield number, request
            continue
        begin = at if begin is None else begin
        yield number, replace(request, arrival_seconds=at - begin)
