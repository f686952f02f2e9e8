"""How much longer an undecided comparison would take."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from warmroute.measure.compared import GuardState
from warmroute.measure.statistics.pairs_needed import pairs_needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.compared import Compared, Guard
    from warmroute.measure.criteria import Criteria
    from warmroute.measure.pairing import Pair


@dataclass(frozen=True, slots=True)
class Further:
    """What it takes to decide, if the true effect is the one seen."""

    pairs: int
    hours: float
    """At the pace of the pairs so far."""


def further(primary: Compared, guards: Sequence[Guard], criteria: Criteria, pairs: Sequence[Pair]) -> Further | None:
    """Pairs still lacking, for a chance of 80 % to decide.

    Args:
        primary: The primary metric so far.
        guards: The guards so far.
        criteria: What has to be shown.
        pairs: The valid pairs.

    Returns:
        None where no number of pairs that anybody runs would decide: the effect lies too near a limit, requests
        failed, or the runs are too short for a figure.
    """
    if not pairs:
        return None
    needed = [_for_primary(primary, criteria), criteria.minimum_pairs]
    if primary.harm.mean < -criteria.effect:
        needed += [_for_guard(guard, criteria) for guard in guards if guard.state is GuardState.OPEN]
    numbers = [number for number in needed if number is not None]
    if len(numbers) < len(needed):
        return None
    more = max(1, max(numbers) - len(pairs))
    return Further(more, more * sum(pair.hours for pair in pairs) / len(pairs))


def _for_primary(primary: Compared, criteria: Criteria) -> int | None:
    """Pairs for whichever of better, equivalent and worse the effect so far points to."""
    harm, effect, alpha = primary.harm, criteria.effect, criteria.alpha_each
    if not isfinite(harm.standard_error):
        return None
    worse = pairs_needed(harm.standard_deviation, harm.mean, alpha=alpha) if harm.mean > 0 else None
    if harm.mean < -effect:
        return pairs_needed(harm.standard_deviation, -effect - harm.mean, alpha=alpha)
    # Both one-sided tests must succeed, so each needs the square root of 80 %, about 90 %.
    same = pairs_needed(harm.standard_deviation, effect - abs(harm.mean), alpha=2 * alpha, power=0.9)
    return min((number for number in (worse, same) if number is not None), default=None)


def _for_guard(guard: Guard, criteria: Criteria) -> int | None:
    harm = guard.compared.harm
    if not isfinite(harm.standard_error):
        return None
    return pairs_needed(harm.standard_deviation, abs(guard.margin - harm.mean), alpha=criteria.alpha_each)
