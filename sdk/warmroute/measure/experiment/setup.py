"""What an experiment is made of, and what it tells and asks while it runs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from warmroute.measure.replay import CONNECTIONS, Place, ReplayRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from warmroute.measure.criteria import Criteria
    from warmroute.measure.experiment.arms import Arm, Served
    from warmroute.measure.experiment.design import Design
    from warmroute.measure.experiment.folder import Finished
    from warmroute.measure.replay import Progress, Replayed, Schedule
    from warmroute.measure.telemetry import ExpectedHits, Observer


class Schedules(Protocol):
    """Makes what is sent."""

    def __call__(self, seed: int, *, chat_only: bool, turn: int) -> Schedule:
        """The requests of a run; equal arguments give equal requests, and each turn may send another part."""


class Replay(NamedTuple):
    """One run that is to be sent."""

    served: Served
    schedule: Schedule
    folder: Path
    place: Place


class Replaying(Protocol):
    """Sends schedules to arms, all at the same time, and records them."""

    def __call__(self, runs: Sequence[Replay]) -> list[Replayed]:
        """Raises WarmrouteError where nothing can be sent or recorded."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One run that is about to begin."""

    place: Place
    is_noise: bool
    """Whether it is one of A/A."""

    pairs: int
    """Pairs of its kind that are wanted."""

    valid: int
    """Pairs of its kind that are valid so far."""

    number: int = 0
    """Of its pair among those that compare arms, from 0, which decides what part of the trace is sent; 0 for A/A."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What an experiment is told and asked besides."""

    on_turn: Callable[[Turn], None] = lambda _: None
    """Told of every run that begins."""

    on_run: Callable[[Finished, Path], None] = lambda _run, _folder: None
    """Told of every run that is over, with its folder."""

    observe: Callable[[Arm, Served], Observer | None] = lambda _arm, _served: None
    """Makes what watches an endpoint beside a run; None for nothing."""

    expect: Callable[[Arm, Schedule], ExpectedHits | None] = lambda _arm, _schedule: None
    """Tells before a run which cache hits it can expect; None for nothing."""


def over_network(
    *,
    connections: int = CONNECTIONS,
    largest_lag_seconds: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Replaying:
    """Replays with this process's own connections.

    Args:
        connections: How many there are at most.
        largest_lag_seconds: P99 of the send lag above which a run is invalid, instead of both usual limits.
        on_progress: Told twice a second how far the first of them has come.
    """

    async def together(runs: Sequence[Replay]) -> list[Replayed]:
        made = [
            ReplayRun(
                run.schedule,
                run.served.target,
                run.folder,
                connections=connections,
                largest_lag_seconds=largest_lag_seconds,
                place=run.place,
                on_progress=None if number else on_progress,
            )
            for number, run in enumerate(runs)
        ]
        # Where one fails, the end of the loop stops the others, which record what they did.
        return await asyncio.gather(*(run.run_async() for run in made))

    return lambda runs: asyncio.run(together(runs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """An experiment before its first run."""

    arms: Sequence[Arm]
    """The baseline first."""

    design: Design
    criteria: Criteria
    schedules: Schedules
    replay: Replaying
    hooks: Hooks = field(default_factory=Hooks)
