"""Whether the candidate pays off for a part of the traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.measure.compared import Compared, Guard, GuardState, compare
from warmroute.measure.metrics import Metric
from warmroute.measure.statistics import holm

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.measure.criteria import Criteria
    from warmroute.measure.metrics import Figures
    from warmroute.measure.pairing import Pairing
    from warmroute.measure.summary import RunSummary


@dataclass(frozen=True, slots=True)
class Segment:
    """The primary metric and the guards of one part of the traffic."""

    name: str
    primary: Compared
    guards: tuple[Guard, ...]
    p_better: float
    """One-sided p-value for "better by more than the minimum effect", after Holm over the segments."""

    p_worse: float
    """The same for "worse by more than the minimum effect"."""

    @property
    def pays_off(self) -> bool:
        """Whether the candidate is shown to be better here, and no worse than allowed in its guards."""
        held = (GuardState.HOLDS, GuardState.NOT_AVAILABLE)
        return self.p_better <= self.primary.alpha / 2 and all(guard.state in held for guard in self.guards)

    @property
    def suffers(self) -> bool:
        """Whether the candidate is shown to be worse here by more than the minimum effect."""
        return self.p_worse <= self.primary.alpha / 2


def judge_segments(pairing: Pairing, criteria: Criteria) -> tuple[Segment, ...]:
    """Every segment that the pairs have, by name; none where the traffic has fewer than two."""
    names = sorted({name for pair in pairing.pairs for run in (pair.baseline, pair.candidate) for name in run.segments})
    if len(names) < 2:
        return ()
    alpha = criteria.alpha_each
    primaries = {name: compare(pairing, criteria.primary, alpha, _figures_of(name)) for name in names}
    better = holm({name: compared.harm.p_below(-criteria.effect) for name, compared in primaries.items()})
    worse = holm({name: compared.harm.p_above(criteria.effect) for name, compared in primaries.items()})
    # How many instances serve one segment says nothing of their load, so that guard is for the whole traffic only.
    guarded = [metric for metric in criteria.guards if metric is not Metric.LARGEST_INSTANCE_SHARE]
    return tuple(
        Segment(
            name,
            primary,
            tuple(
                Guard(compare(pairing, metric, alpha, _figures_of(name)), criteria.margin(metric)) for metric in guarded
            ),
            better[name],
            worse[name],
        )
        for name, primary in primaries.items()
    )


def _figures_of(name: str) -> Callable[[RunSummary], Figures | None]:
    return lambda run: run.segments.get(name)
