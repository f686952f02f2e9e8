"""Which runs are compared with which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warmroute.measure.summary import RunSummary


@dataclass(frozen=True, slots=True)
class Pair:
    """A run of each arm, near in time."""

    number: int
    baseline: RunSummary
    candidate: RunSummary

    @property
    def hours(self) -> float:
        """From its first request to its last answer, what lies between the runs included."""
        begin = min(self.baseline.started, self.candidate.started)
        return (max(self.baseline.ended, self.candidate.ended) - begin).total_seconds() / 3_600


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs that may be compared."""

    pairs: tuple[Pair, ...]
    left_out: tuple[str, ...]
    """What is not compared, a sentence each."""

    @property
    def groups(self) -> tuple[str, ...] | None:
        """For each pair the machines that served the candidate, where they changed roles; None with one fleet."""
        fleets = tuple(pair.candidate.fleet for pair in self.pairs)
        return fleets if self._two_fleets and len(set(fleets)) > 1 else None

    @property
    def confounded(self) -> bool:
        """Whether each arm kept machines of its own: then their difference is also that of the machines."""
        return self._two_fleets and len({pair.candidate.fleet for pair in self.pairs}) == 1

    @property
    def _two_fleets(self) -> bool:
        return any(pair.baseline.fleet != pair.candidate.fleet for pair in self.pairs)


def pair_up(runs: Iterable[RunSummary], baseline: str, candidate: str) -> Pairing:
    """The valid pairs of two arms, by number.

    Args:
        runs: Of any arms, in any order.
        baseline: Name of one arm.
        candidate: Name of the other.

    Raises:
        WarmrouteError: An arm has no run, or two in one pair.
    """
    if baseline == candidate:
        raise WarmrouteError(f"{baseline} cannot be compared with itself.", "Name two arms.")
    found: dict[int, dict[str, RunSummary]] = {}
    for run in runs:
        arms = found.setdefault(run.pair, {})
        if run.arm in arms:
            raise WarmrouteError(f"Pair {run.pair} has two runs of {run.arm}.", "Give every pair its own number.")
        arms[run.arm] = run
    names = sorted({arm for arms in found.values() for arm in arms})
    for name in (baseline, candidate):
        if name not in names:
            raise WarmrouteError(f"There is no run of the arm {name}.", f"Arms: {', '.join(names) or 'none'}.")
    pairs, left_out = [], []
    for number, arms in sorted(found.items()):
        problems = _problems(number, arms, (baseline, candidate))
        left_out += problems
        if not problems:
            pairs.append(Pair(number, arms[baseline], arms[candidate]))
    return Pairing(tuple(pairs), tuple(left_out))


def _problems(number: int, arms: dict[str, RunSummary], wanted: Sequence[str]) -> list[str]:
    present = [name for name in wanted if name in arms]
    invalid = [f"Pair {number}, {name}: {problem}" for name in present for problem in arms[name].problems]
    if invalid:  # Where the other run is missing, this is why: the pair was given up.
        return invalid
    missing = [name for name in wanted if name not in arms]
    if missing:
        return [f"Pair {number} has no run of {name}." for name in missing]
    counts = [arms[name].requests for name in wanted]
    if counts[0] != counts[1]:
        return [f"Pair {number}: its runs planned {counts[0]:,} and {counts[1]:,} requests, not the same."]
    return []
