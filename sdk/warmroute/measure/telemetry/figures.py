"""The figures of a run, from the samples of its instances."""

from __future__ import annotations

from collections import Counter as Tally
from typing import TYPE_CHECKING, Any

from warmroute.measure.telemetry.histogram import server_ttft
from warmroute.measure.telemetry.rounds import Counter, Gauge, steps
from warmroute.measure.telemetry.run_telemetry import EXPECTED, FIGURES, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from warmroute.measure.telemetry.rounds import Round, Step

NOT_GIVEN = "It was not given."


class Figures:
    """What instances counted.

    Args:
        rounds: Their samples, in the order of time.
        appear_from_zero: Whether an instance that is first seen after the first round has started within the run.
    """

    def __init__(self, rounds: Sequence[Round], *, appear_from_zero: bool) -> None:
        self.rounds = rounds
        self._steps = list(steps(rounds, appear_from_zero=appear_from_zero))

    def counted(self, counter: Counter) -> float | None:
        """What all instances counted together; None where none shows it."""
        return _sum(step.counted(counter) for _, step in self._steps)

    def requests(self) -> dict[str, float] | None:
        """Requests that each instance was given, counted or, for one that counts only ends, from these."""
        found: dict[str, float] = {}
        for instance, step in self._steps:
            requests = _requests(step)
            if requests is not None:
                found[instance] = found.get(instance, 0.0) + requests
        return {name: max(0.0, value) for name, value in found.items()} if found else None

    def over_time(self, gauge: Gauge, together: Callable[[list[float]], float]) -> tuple[Point, ...] | None:
        """A gauge of all instances together, at each moment at which every one of them showed it."""
        points = []
        for each in self.rounds:
            values = [reading.gauges.get(gauge) for reading in each.readings.values()]
            shown = [value for value in values if value is not None]
            if shown and len(shown) == len(values):
                points.append(Point(each.seconds, together(shown)))
        return tuple(points) or None

    def values(self) -> dict[str, Any]:
        """Those of `RunTelemetry` that follow from counters and gauges alone."""
        requests = self.requests()
        total = sum(requests.values()) if requests is not None else None
        shares = {name: value / total for name, value in requests.items()} if requests and total else None
        queried, hits = self.counted(Counter.QUERIED_TOKENS), self.counted(Counter.HIT_TOKENS)
        buckets: Tally[float] = Tally()
        for _, step in self._steps:
            buckets.update(step.ttft_buckets())
        return {
            "requests": None if total is None else round(total),
            "instance_shares": shares,
            "queried_tokens": None if queried is None else round(queried),
            "hit_tokens": None if hits is None else round(hits),
            "queue_depth": self.over_time(Gauge.WAITING, sum),
            "kv_cache_usage": self.over_time(Gauge.KV_CACHE_USAGE, max),
            "ttft": server_ttft(buckets, self.counted(Counter.TTFT_SECONDS), self.counted(Counter.TTFT_COUNT)),
        }

    def notes(self) -> list[str]:
        """What a reader of the figures has to know of the samples."""
        restarts = Tally(instance for instance, step in self._steps if step.began_anew)
        last = self.rounds[-1].readings if self.rounds else {}
        gone = sorted({instance for instance, _ in self._steps} - set(last))
        return [
            *(
                f"{instance}: its counters began anew {_times(count)}; what it counted between its last sample and "
                "then is missing."
                for instance, count in sorted(restarts.items())
            ),
            *(f"{instance}: it went away; what it counted after its last sample is missing." for instance in gone),
        ]


def with_reasons(values: dict[str, Any], reasons: dict[str, str], otherwise: str) -> dict[str, Any]:
    """Every figure of `RunTelemetry`, and why those that are None are.

    Args:
        values: What is known.
        reasons: Why a figure is not, where it is not.
        otherwise: The reason of all others.
    """
    figures = {name: values.get(name) for name in FIGURES}
    reasons = {**dict.fromkeys(EXPECTED, NOT_GIVEN), **reasons}
    unavailable = {name: reasons.get(name, otherwise) for name, value in figures.items() if value is None}
    return {**figures, "unavailable": unavailable}


def _requests(step: Step) -> float | None:
    given = step.counted(Counter.REQUESTS)
    if given is not None:
        return given
    finished = step.counted(Counter.FINISHED)
    if finished is None:
        return None
    before = 0.0 if step.began_anew else step.before.gauges.get(Gauge.IN_FLIGHT, 0.0)
    return finished + step.after.gauges.get(Gauge.IN_FLIGHT, 0.0) - before


def _sum(values: Iterable[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return sum(told) if told else None


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
