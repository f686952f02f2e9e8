"""Every schedule, in parts that processes can share: the same schedules in every run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from deploy.faults.schedules import faulty, in_between, killed_at_every_step, two_at_once
from deploy.faults.transitions import PAIRS, TRANSITIONS, WHILE_CLEANING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deploy.faults.schedules import Result

RANDOM_SCHEDULES = 272
"""Schedules with random faults, as many for each transition."""

SCHEDULES_OF_TWO = 96
"""Schedules of two processes at once, as many for each pair."""

_CHUNK = 8
_SHARES = 4
"""Parts of the schedules of a pair in which one process comes between two calls of the other."""


class Part(NamedTuple):
    """Some of the schedules."""

    kind: str
    """``killed`` at every step of one transition, ``random`` faults, ``two`` at once, or one ``between`` two calls."""

    numbers: range
    """Seeds; for ``killed``, the transition; for ``between``, the share of a pair."""


@dataclass
class Figures:
    """What came of many schedules."""

    schedules: Counter[str] = field(default_factory=Counter)
    """By kind."""

    injected: Counter[str] = field(default_factory=Counter)
    """Faults by kind."""

    calls: int = 0
    converged: int = 0
    violations: int = 0
    bad: list[str] = field(default_factory=list)
    """Every schedule that broke a promise or did not converge, with what came of it."""

    @property
    def total(self) -> int:
        """Schedules of every kind."""
        return sum(self.schedules.values())

    def add(self, kind: str, result: Result) -> None:
        """Count one schedule."""
        self.schedules[kind] += 1
        self.injected += result.injected
        self.calls += result.calls
        self.converged += result.converged
        self.violations += len(result.violations)
        if not result.is_good:
            self.bad.append(f"{result.name}: {result.end}; {'; '.join(result.violations)}")

    def include(self, other: Figures) -> None:
        """Count what another process has counted."""
        self.schedules += other.schedules
        self.injected += other.injected
        self.calls += other.calls
        self.converged += other.converged
        self.violations += other.violations
        self.bad += other.bad


def parts() -> list[Part]:
    """All of them, the longest first."""
    long = (("killed", len(TRANSITIONS)), ("between", len(WHILE_CLEANING) * _SHARES))
    one_each = [Part(kind, range(number, number + 1)) for kind, count in long for number in range(count)]
    by_seed = (("random", RANDOM_SCHEDULES), ("two", SCHEDULES_OF_TWO))
    return one_each + [
        Part(kind, range(first, min(first + _CHUNK, count)))
        for kind, count in by_seed
        for first in range(0, count, _CHUNK)
    ]


def figures_of(part: Part) -> Figures:
    """Run a part."""
    figures = Figures()
    for result in results(part.kind, part.numbers):
        figures.add(part.kind, result)
    return figures


def results(kind: str, numbers: Iterable[int]) -> Iterator[Result]:
    """Run schedules of a kind.

    Args:
        kind: As in a part.
        numbers: Likewise.
    """
    for number in numbers:
        if kind == "killed":
            yield from killed_at_every_step(TRANSITIONS[number])
        elif kind == "random":
            yield faulty(TRANSITIONS[number % len(TRANSITIONS)], number)
        elif kind == "between":
            pair, share = divmod(number, _SHARES)
            yield from in_between(*WHILE_CLEANING[pair], slice(share, None, _SHARES))
        else:
            first, second = PAIRS[number % len(PAIRS)]
            yield two_at_once(first, second(), number)
