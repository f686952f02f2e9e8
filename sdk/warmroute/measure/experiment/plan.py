"""How long an experiment takes, before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.measure.experiment.design import USUAL_PAIRS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.criteria import Criteria
    from warmroute.measure.experiment.arms import Arm
    from warmroute.measure.experiment.design import Design


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The size of an experiment; without replacements, and without what lies between the runs."""

    aa_runs: int
    least_pairs: int
    most_pairs: int
    """More than the least where the noise decides."""

    run_seconds: float
    """From the first to the last request of a run."""

    least_hours: float
    most_hours: float
    instances: int | None
    """Instances that are paid for meanwhile, those of all arms; None where none are, or nobody knows."""


def plan(arms: Sequence[Arm], design: Design, criteria: Criteria, run_seconds: float) -> Plan:
    """The plan of an experiment.

    Args:
        arms: All arms.
        design: Which runs there are.
        criteria: Tell the least number of pairs.
        run_seconds: From the first to the last request of a run.
    """
    least = most = design.pairs or max(USUAL_PAIRS, criteria.minimum_pairs)
    if design.pairs is None and design.aa_pairs:
        least, most = criteria.minimum_pairs, max(design.most_pairs, criteria.minimum_pairs)
    aa_runs = 2 * design.aa_pairs
    in_turn = 1 if design.simultaneous else len(arms)
    hours = [(aa_runs + pairs * in_turn) * run_seconds / 3_600 for pairs in (least, most)]
    paid = {arm.machines: arm.instances for arm in arms if arm.instances is not None}
    return Plan(
        aa_runs=aa_runs,
        least_pairs=least,
        most_pairs=most,
        run_seconds=run_seconds,
        least_hours=hours[0],
        most_hours=hours[1],
        instances=sum(paid.values()) or None,
    )
