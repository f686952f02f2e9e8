"""Several observers of one run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry.expected import nothing_counted
from warmroute.measure.telemetry.run_telemetry import FIGURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.telemetry.observer import Observer
    from warmroute.measure.telemetry.run_telemetry import RunTelemetry


class JoinedObserver:
    """Watches from several sides; each figure is from the first of them that knows it.

    Args:
        observers: At least one, the most trusted first.
        needs_all: Whether one that has nothing to see is an error; else its figures are not available.
    """

    def __init__(self, observers: Sequence[Observer], *, needs_all: bool = True) -> None:
        self._observers = observers
        self._needs_all = needs_all
        self._begun: list[Observer] = []
        self._absent: list[str] = []

    def begin(self) -> None:
        """All of them begin.

        Raises:
            WarmrouteError: One has nothing to see, and all are needed.
        """
        self._began = datetime.now(UTC)
        for observer in self._observers:
            try:
                observer.begin()
            except WarmrouteError as error:
                if self._needs_all:
                    self.give_up()
                    raise
                self._absent.append(error.message)
            else:
                self._begun.append(observer)

    def end(self) -> RunTelemetry:
        """What all of them saw."""
        absent = [nothing_counted(self._began, datetime.now(UTC), reason) for reason in self._absent]
        with ThreadPoolExecutor(max(1, len(self._begun))) as pool:  # At once: each may wait for late data.
            return joined([*pool.map(lambda observer: observer.end(), self._begun), *absent])

    def give_up(self) -> None:
        """None of them looks any further."""
        for observer in self._begun:
            observer.give_up()


def joined(seen: Sequence[RunTelemetry]) -> RunTelemetry:
    """One telemetry from several of the same run.

    Args:
        seen: At least one, the most trusted first.
    """
    figures: dict[str, Any] = {}
    unavailable = {}
    for name in FIGURES:
        known = (getattr(each, name) for each in seen)
        figures[name] = next((value for value in known if value is not None), None)
        if figures[name] is None:
            unavailable[name] = " ".join(dict.fromkeys(each.unavailable[name] for each in seen))
    # Hits and queries make one rate: both are from the same source.
    both = [each for each in seen if each.hit_tokens is not None and each.queried_tokens is not None]
    if both:
        figures |= {"hit_tokens": both[0].hit_tokens, "queried_tokens": both[0].queried_tokens}
    elif None not in {figures["hit_tokens"], figures["queried_tokens"]}:
        figures["hit_tokens"] = None
        unavailable["hit_tokens"] = "No source counts both what was looked for in the cache and what was found."
    return replace(
        seen[0],
        sources=tuple(source for each in seen for source in each.sources),
        began=min(each.began for each in seen),
        ended=max(each.ended for each in seen),
        notes=tuple(dict.fromkeys(note for each in seen for note in each.notes)),
        unavailable=unavailable,
        **figures,
    )
