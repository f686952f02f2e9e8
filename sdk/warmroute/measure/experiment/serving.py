"""What serves an arm while a run is on, and the spans in which that changes."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from warmroute.errors import WarmrouteError
from warmroute.measure.run import Window, WindowKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEAST_STEADY_SHARE = 0.5
"""Part of a run that has to lie outside of scaling: of less, its figures tell little."""


_PATIENCE_SECONDS = 30.0
"""How long an answer is waited for that is on its way when the run is over."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What serves at one moment."""

    count: int
    """Instances, or copies of an inference component."""

    names: frozenset[str] = frozenset()
    """Which they are, where that is told: the local endpoint does, SageMaker does not."""

    changing: bool = False
    """Whether more or fewer are wanted than serve, or the endpoint is being updated."""


class Sample(NamedTuple):
    """What served when it was asked."""

    at: float
    """Seconds of the clock that tells the date."""

    serving: Serving


class Watch(Protocol):
    """Looks at what serves beside one run; a new one for each."""

    def begin(self) -> None:
        """The run begins now."""

    def end(self) -> Sequence[Sample]:
        """The run is over: what was seen, in the order of time; nothing where nobody told."""

    def give_up(self) -> None:
        """There will be no run after all."""


class PolledServing:
    """Asks again and again what serves, from a thread of its own.

    Args:
        ask: Tells it; a WarmrouteError of its is a missing sample, since a run has its own look at the endpoint.
        interval_seconds: Between two samples.
    """

    def __init__(self, ask: Callable[[], Serving], interval_seconds: float) -> None:
        self._ask, self._interval = ask, interval_seconds
        self._samples: list[Sample] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="serving", daemon=True)

    def begin(self) -> None:
        """Ask for the first time, and go on asking."""
        self._sample()
        self._thread.start()

    def end(self) -> Sequence[Sample]:
        """Ask for the last time."""
        self._ended.set()
        self._thread.join(_PATIENCE_SECONDS)
        self._sample()
        return list(self._samples)

    def give_up(self) -> None:
        """Ask no more."""
        self._ended.set()

    def _go_on(self) -> None:
        while not self._ended.wait(self._interval):
            self._sample()

    def _sample(self) -> None:
        try:
            serving = self._ask()
        except WarmrouteError:
            return
        self._samples.append(Sample(time.time(), serving))


def scaling_windows(samples: Sequence[Sample], started: float, settle_seconds: float) -> tuple[Window, ...]:
    """The spans of a run in which instances came or went, or settled afterwards.

    A change lies between two samples: its span begins with the last one before it, and ends a time after the first one
    behind it.

    Args:
        samples: In the order of time.
        started: When the run began, in seconds of the clock of the samples.
        settle_seconds: From a change until the fleet counts as steady again.
    """
    spans: list[tuple[float, float, Serving, Serving]] = []
    for before, after in pairwise(samples):
        if before.serving == after.serving and not after.serving.changing:
            continue
        begin, end = before.at - started, after.at - started + settle_seconds
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], end, spans[-1][2], after.serving)
        else:
            spans.append((begin, end, before.serving, after.serving))
    return tuple(
        Window(WindowKind.SCALING, max(0.0, begin), end, _what(old, new)) for begin, end, old, new in spans if end > 0
    )


def too_little_is_steady(windows: Sequence[Window], duration_seconds: float, settle_seconds: float) -> str | None:
    """Why a run tells nothing of steady state; None where it does.

    Args:
        windows: Its scaling windows, none of which overlap.
        duration_seconds: Of the run.
        settle_seconds: That the windows were made with.
    """
    scaling = sum(min(window.to_seconds, duration_seconds) - window.from_seconds for window in windows)
    if duration_seconds <= 0 or scaling / duration_seconds <= 1 - LEAST_STEADY_SHARE:
        return None
    return (
        f"Instances came or went, or settled, during {min(1.0, scaling / duration_seconds):.0%} of the run "
        f"({windows[0].reason}; {settle_seconds:g} s to settle): too little of it is steady."
    )


def _what(before: Serving, after: Serving) -> str:
    if before.count != after.count:
        return f"{before.count} to {after.count} instances"
    if newcomers := len(after.names - before.names):
        return f"{newcomers} of {after.count} instances replaced"
    return f"{after.count} instances, more or fewer asked for"
