"""Several observers of one run, and figures that are given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warmroute.measure.telemetry.run_telemetry import FIGURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.telemetry.observer import Observer
    from warmroute.measure.telemetry.run_telemetry import RunTelemetry


class JoinedObserver:
    """Watches from several sides; each figure is from the first of them that knows it.

    Args:
        observers: At least one, the most trusted first.
        hit_rate_ceiling: What one cache that holds everything would reach with the trace.
        hit_rate_predicted: What the simulation predicts.
    """

    def __init__(
        self,
        observers: Sequence[Observer],
        *,
        hit_rate_ceiling: float | None = None,
        hit_rate_predicted: float | None = None,
    ) -> None:
        self._observers = observers
        self._given = {"hit_rate_ceiling": hit_rate_ceiling, "hit_rate_predicted": hit_rate_predicted}

    def begin(self) -> None:
        """All of them begin.

        Raises:
            WarmrouteError: One has nothing to see.
        """
        begun: list[Observer] = []
        try:
            for observer in self._observers:
                observer.begin()
                begun.append(observer)
        except BaseException:
            for observer in begun:
                observer.give_up()
            raise

    def end(self) -> RunTelemetry:
        """What all of them saw."""
        return joined([observer.end() for observer in self._observers], self._given)

    def give_up(self) -> None:
        """None of them looks any further."""
        for observer in self._observers:
            observer.give_up()


def joined(seen: Sequence[RunTelemetry], given: dict[str, float | None] | None = None) -> RunTelemetry:
    """One telemetry from several of the same run.

    Args:
        seen: At least one, the most trusted first.
        given: Figures that are not measured.
    """
    figures: dict[str, Any] = {}
    unavailable = {}
    for name in FIGURES:
        known = [getattr(each, name) for each in seen] + [(given or {}).get(name)]
        figures[name] = next((value for value in known if value is not None), None)
        if figures[name] is None:
            unavailable[name] = " ".join(dict.fromkeys(each.unavailable[name] for each in seen))
    # Hits and queries make one rate: both are from the same source.
    both = [each for each in seen if each.hit_tokens is not None and each.queried_tokens is not None]
    if both:
        figures |= {"hit_tokens": both[0].hit_tokens, "queried_tokens": both[0].queried_tokens}
    return replace(
        seen[0],
        sources=tuple(source for each in seen for source in each.sources),
        began=min(each.began for each in seen),
        ended=max(each.ended for each in seen),
        notes=tuple(dict.fromkeys(note for each in seen for note in each.notes)),
        unavailable=unavailable,
        **figures,
    )
