"""The rule that turns what is shown into a decision."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from warmroute.measure.compared import GuardState
from warmroute.measure.metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.compared import Compared, Guard
    from warmroute.measure.criteria import Criteria
    from warmroute.measure.pairing import Pairing
    from warmroute.measure.segments import Segment


class Decision(StrEnum):
    """What to do about the candidate."""

    ADOPT = "adopt"
    """It is better by more than the minimum effect, every guard holds, and no segment suffers."""

    ADOPT_NARROWLY = "adopt narrowly"
    """That is so for the named segments only."""

    DONT = "don't"
    """It is worse, for all or for a segment, or no different, or breaks a guard."""

    INCONCLUSIVE = "inconclusive"
    """The runs do not tell yet."""


def decide(
    pairing: Pairing, primary: Compared, guards: Sequence[Guard], segments: Sequence[Segment], criteria: Criteria
) -> tuple[Decision, str]:
    """What to do about the candidate, and the sentence that says why.

    Args:
        pairing: The valid pairs.
        primary: The primary metric.
        guards: Figures that must not become worse.
        segments: The parts of the traffic.
        criteria: What has to be shown.
    """
    obstacle = _obstacle(pairing, primary, criteria)
    if obstacle:
        return Decision.INCONCLUSIVE, obstacle
    better, least = primary.better_than(criteria.effect), f"{100 * criteria.minimum_effect:g} %"
    broken = in_state(guards, GuardState.BROKEN)
    unsettled = in_state(guards, GuardState.OPEN, GuardState.TOO_FEW_REQUESTS)
    narrowly = adopted(segments) if Metric.LARGEST_INSTANCE_SHARE not in broken + unsettled else ()
    suffering = tuple(segment.name for segment in segments if segment.suffers)
    rules = (
        (
            better and not broken and not unsettled and not suffering,
            Decision.ADOPT,
            f"It is better by more than {least}; no guard fails.",
        ),
        (narrowly, Decision.ADOPT_NARROWLY, f"It is better by more than {least} only for: {', '.join(narrowly)}."),
        (broken, Decision.DONT, f"It breaks a guard: {_labels(broken)}."),
        (suffering, Decision.DONT, f"It is worse by more than {least} for: {', '.join(suffering)}."),
        (primary.worse, Decision.DONT, "It is worse."),
        (primary.equivalent(criteria.effect), Decision.DONT, f"A difference of {least} or more is excluded."),
        (
            better,
            Decision.INCONCLUSIVE,
            f"It is better by more than {least}, but not settled is: {_labels(unsettled)}.",
        ),
    )
    open_still = (Decision.INCONCLUSIVE, f"Neither a gain of {least} nor its absence is shown.")
    return next(((decision, reason) for holds, decision, reason in rules if holds), open_still)


def adopted(segments: Sequence[Segment]) -> tuple[str, ...]:
    """Names of the segments in which the candidate pays off."""
    return tuple(segment.name for segment in segments if segment.pays_off)


def in_state(guards: Sequence[Guard], *states: GuardState) -> list[Metric]:
    """The metrics whose guards are in one of some states."""
    return [guard.compared.metric for guard in guards if guard.state in states]


def _obstacle(pairing: Pairing, primary: Compared, criteria: Criteria) -> str | None:
    """Why nothing at all can be decided."""
    if len(pairing.pairs) < criteria.minimum_pairs:
        return f"Valid pairs: {len(pairing.pairs)}; at least {criteria.minimum_pairs} are needed."
    if pairing.confounded:
        return (
            "Each arm ran on machines of its own, so a difference may be theirs. Let the variants change roles between "
            "pairs."
        )
    return "The primary metric is not known." if primary.unmeasured else None


def _labels(metrics: Sequence[Metric]) -> str:
    return ", ".join(metric.label for metric in metrics)
