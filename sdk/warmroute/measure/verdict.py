"""Whether a candidate pays off: adopt it, adopt it narrowly, don't, or not decided yet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from warmroute.measure.compared import Compared, Guard, GuardState, compare
from warmroute.measure.criteria import Criteria
from warmroute.measure.decision import Decision, adopted, decide, in_state
from warmroute.measure.further import Further, further
from warmroute.measure.pairing import Pairing, pair_up
from warmroute.measure.run import WindowKind
from warmroute.measure.segments import Segment, judge_segments
from warmroute.measure.statistics import holm
from warmroute.measure.wording import change, guard_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.measure.summary import RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of a comparison, with all that it rests on."""

    baseline: str
    candidate: str
    decision: Decision
    reasons: tuple[str, ...]
    """Why, in plain sentences, the decisive one first."""

    adopt_for: tuple[str, ...] = ()
    """Segments for which to adopt it, with ``ADOPT_NARROWLY``."""

    further: Further | None = None
    """Pairs and hours still lacking, with ``INCONCLUSIVE``; None there where no more pairs would decide."""

    pairs: int
    """Valid pairs."""

    left_out: tuple[str, ...]
    """Pairs that are not compared, and why."""

    primary: Compared
    guards: tuple[Guard, ...]
    secondaries: tuple[Compared, ...]
    segments: tuple[Segment, ...]
    windows: Mapping[WindowKind, tuple[Compared, ...]] = field(default_factory=dict)
    """The primary metric and the secondaries in cold and scaling windows: shown, not judged by."""


def judge(runs: Iterable[RunSummary], baseline: str, candidate: str, criteria: Criteria | None = None) -> Verdict:
    """Compare two arms by pairs of runs.

    Args:
        runs: Summaries of all runs, in any order; invalid ones are left out together with their partners.
        baseline: Name of the arm in use.
        candidate: Name of the arm that would replace it.
        criteria: What was declared before the runs; its defaults without.

    Raises:
        WarmrouteError: An arm has no run, or two in one pair.
        MissingExtraError: NumPy or SciPy is not installed.
    """
    criteria = criteria or Criteria()
    pairing, alpha = pair_up(runs, baseline, candidate), criteria.alpha_each
    primary = compare(pairing, criteria.primary, alpha)
    guards = tuple(Guard(compare(pairing, metric, alpha), criteria.margin(metric)) for metric in criteria.guards)
    segments = judge_segments(pairing, criteria)
    decision, reason = decide(pairing, primary, guards, segments, criteria)
    lacking = further(primary, guards, criteria, pairing.pairs) if decision is Decision.INCONCLUSIVE else None
    return Verdict(
        baseline=baseline,
        candidate=candidate,
        decision=decision,
        reasons=(
            reason,
            change(primary),
            *(guard_sentence(guard, criteria.guards[guard.compared.metric]) for guard in guards),
        ),
        adopt_for=adopted(segments) if decision is Decision.ADOPT_NARROWLY else (),
        further=lacking if _more_pairs_help(pairing, primary, guards) else None,
        pairs=len(pairing.pairs),
        left_out=pairing.left_out,
        primary=primary,
        guards=guards,
        secondaries=_secondaries(pairing, criteria),
        segments=segments,
        windows={kind: _in_window(pairing, criteria, kind) for kind in WindowKind if _has(pairing, kind)},
    )


def _more_pairs_help(pairing: Pairing, primary: Compared, guards: tuple[Guard, ...]) -> bool:
    return not (pairing.confounded or primary.unmeasured or in_state(guards, GuardState.TOO_FEW_REQUESTS))


def _secondaries(pairing: Pairing, criteria: Criteria) -> tuple[Compared, ...]:
    """The secondary metrics, their p-values adjusted for the number of those measured."""
    found = [compare(pairing, metric, criteria.alpha_each) for metric in criteria.secondaries]
    adjusted = holm({one.metric: one.estimate.p_different() for one in found if not one.unmeasured})
    return tuple(replace(one, p_adjusted=adjusted.get(one.metric)) for one in found)


def _has(pairing: Pairing, kind: WindowKind) -> bool:
    return any(kind in run.windows for pair in pairing.pairs for run in (pair.baseline, pair.candidate))


def _in_window(pairing: Pairing, criteria: Criteria, kind: WindowKind) -> tuple[Compared, ...]:
    """Over the pairs in which both runs have such a window: instances need not come and go in all of them."""
    both = tuple(pair for pair in pairing.pairs if kind in pair.baseline.windows and kind in pair.candidate.windows)
    pairing = replace(pairing, pairs=both)
    metrics = dict.fromkeys((criteria.primary, *criteria.secondaries))
    return tuple(compare(pairing, metric, criteria.alpha_each, lambda run: run.windows.get(kind)) for metric in metrics)
