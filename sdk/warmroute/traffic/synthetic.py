"""Arrival times where a trace has none, or to put a fleet under stress: a steady rate, and bursts on top of it."""

from __future__ import annotations

import itertools
import math
import random
from typing import TYPE_CHECKING, NamedTuple

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Burst(NamedTuple):
    """A time in which requests come faster."""

    at_seconds: float
    duration_seconds: float
    factor: float
    """How many times faster, above 0; below 1 for a lull."""


def poisson_arrivals(
    requests_per_second: float, duration_seconds: float, *, bursts: Sequence[Burst] = (), seed: int = 0
) -> Iterator[float]:
    """Times at which requests of independent clients arrive, in seconds from 0, in order.

    Args:
        requests_per_second: Mean rate outside the bursts.
        duration_seconds: Times stop before it.
        bursts: Where the rate is another; where they overlap, their factors multiply.
        seed: The same seed gives the same times.

    Raises:
        WarmrouteError: A rate, or a burst's factor, that is not above 0 and finite.
    """
    for name, value in (("requests_per_second", requests_per_second), *(("factor", each.factor) for each in bursts)):
        if not 0 < value < math.inf:
            raise WarmrouteError(f"{name} is {value}.", "Give a number above 0.")
    return _arrivals(requests_per_second, duration_seconds, bursts, random.Random(seed))  # noqa: S311 - no secret.


def _arrivals(rate: float, duration: float, bursts: Sequence[Burst], chance: random.Random) -> Iterator[float]:
    edges = sorted({0.0, duration, *(edge for each in bursts for edge in (each[0], each[0] + each[1]))})
    for begin, end in itertools.pairwise(edges):
        if begin < 0 or begin >= duration:
            continue
        here = rate
        for each in bursts:
            if each.at_seconds <= begin < each.at_seconds + each.duration_seconds:
                here *= each.factor
        # A Poisson process has no memory, so that it may begin anew where its rate changes.
        at = begin + chance.expovariate(here)
        while at < end:
            yield at
            at += chance.expovariate(here)
