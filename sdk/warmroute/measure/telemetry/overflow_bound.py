"""How many requests can have overflowed, where nobody counted them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from warmroute.measure.telemetry.rounds import Counter, Gauge, Step
from warmroute.measure.telemetry.run_telemetry import Overflow, OverflowBasis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.telemetry.rounds import Reading, Round


def overflow_bound(rounds: Sequence[Round], concurrency_threshold: int) -> Overflow | None:
    """An upper bound from what the engines tell of themselves; None where they tell too little.

    A request overflows only while the instance of its prefix holds as many requests as the threshold. Between two
    samples an engine held at most those that it had at the second one and those that it finished meanwhile. Where that
    is below the threshold for every engine, no request of the interval can have overflowed.

    Args:
        rounds: Samples of all instances.
        concurrency_threshold: The one of the endpoint.
    """
    arrived, may_have_overflowed, told = 0.0, 0.0, False
    everyone = {name for each in rounds for name in each.readings}
    for earlier, later in pairwise(rounds):
        requests, possible = 0.0, False
        for instance in everyone:
            before, after = earlier.readings.get(instance), later.readings.get(instance)
            seen = None if before is None or after is None else _seen(before, after)
            if seen is None:
                possible = True
                continue
            told = True
            requests += seen[0]
            possible = possible or seen[1] >= concurrency_threshold
        arrived += requests
        may_have_overflowed += requests if possible else 0.0
    if not told or not arrived:
        return None
    return Overflow(
        at_least=0.0,
        at_most=may_have_overflowed / arrived,
        basis=OverflowBasis.BOUNDED,
        meaning=(
            "Nobody counts overflows here. The bound is the share of requests that came while at least one engine may "
            f"have held {concurrency_threshold} requests or more; at other times none can have overflowed. Requests on "
            "their way between the router and an engine are not in the engine's figures."
        ),
    )


def _seen(before: Reading, after: Reading) -> tuple[float, float] | None:
    """Requests that came between two readings, and the most that were there at once; None if that is not known."""
    step = Step(before, after)
    finished = step.counted(Counter.FINISHED)
    there = before.gauges.get(Gauge.IN_FLIGHT), after.gauges.get(Gauge.IN_FLIGHT)
    if finished is None or there[0] is None or there[1] is None or step.began_anew:
        return None
    return max(0.0, finished + there[1] - there[0]), finished + there[1]
