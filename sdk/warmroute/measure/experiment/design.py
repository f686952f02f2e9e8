"""How an experiment is laid out: runs of the baseline alone first, then pairs in an order drawn by chance."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pydantic import Field

from warmroute.errors import WarmrouteError
from warmroute.measure.statistics import pairs_for_reduction
from warmroute.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.measure.criteria import Criteria

USUAL_PAIRS = 8
"""Pairs where neither A/A runs nor a number of pairs are asked for."""


class Design(Settings):
    """Which runs there are."""

    aa_pairs: int = Field(default=3, ge=0, le=50)
    """Pairs of runs of the baseline alone, from which the noise is told: 3 are six runs."""

    pairs: int | None = Field(default=None, ge=1, le=1_000)
    """Pairs of arms; without it, as many as the noise demands."""

    most_pairs: int = Field(default=20, ge=1, le=1_000)
    """At most so many, however large the noise."""

    gain: float = Field(default=0.15, gt=0, lt=1)
    """The improvement that is to be found with a chance of 80 %."""

    replacements: int = Field(default=3, ge=0, le=100)
    """Pairs with an invalid run that are replaced by another; of A/A and of the arms, so many each."""

    warm_up_seconds: float = Field(default=0.0, ge=0)
    """Beginning of every run that is reported apart, as cold."""

    settle_seconds: float = Field(default=60.0, ge=0)
    """From a change of the instances until a run counts as steady again; until then it is reported apart."""

    seed: int = 0
    """Of the order of the arms, and of times that are drawn by chance."""

    swaps_machines: bool = False
    """Whether the machines of two arms change roles after half of the pairs."""

    simultaneous: bool = False
    """Whether the runs of a pair of arms take place at the same time, each on instances of its own."""

    def check(self, criteria: Criteria, *, run_seconds: float, requests: int, machines: Mapping[str, str]) -> None:
        """Refuse what could show nothing.

        Args:
            criteria: What has to be shown.
            run_seconds: From the first to the last request of a run.
            requests: Of the run that has the fewest.
            machines: What serves each arm, by its name.

        Raises:
            WarmrouteError: The gain is not above the minimum effect, the warm-up is the whole run, a run has too few
                requests for the figure that decides, or runs at the same time would share their machines.
        """
        if requests < criteria.primary.requests_needed:
            raise WarmrouteError(
                f"requests: a run has {requests:,}, and {criteria.primary.label} is not told below "
                f"{criteria.primary.requests_needed:,}.",
                "Give longer runs, another trace, or another --primary.",
            )
        if self.simultaneous and len(set(machines.values())) < len(machines):
            shared = "; ".join(f"{arm}: {found}" for arm, found in machines.items())
            raise WarmrouteError(
                f"simultaneous: arms share what serves them ({shared}), and would slow each other down.",
                "Name variants, or endpoints, that have instances of their own; or let the arms run in turn.",
            )
        if self.warm_up_seconds and self.warm_up_seconds >= run_seconds:
            raise WarmrouteError(
                f"warm_up: {self.warm_up_seconds:g} s is the whole run, whose last request is planned at "
                f"{run_seconds:g} s.",
                "Give a shorter warm-up, or a longer run.",
            )
        if self.gain <= criteria.minimum_effect:
            raise WarmrouteError(
                f"gain: {self.gain:g} is not above the minimum effect, {criteria.minimum_effect:g}.",
                "No number of pairs would show that it is larger. Give a larger gain, or a smaller minimum effect.",
            )

    def shortfalls(self, criteria: Criteria, requests: int) -> tuple[str, ...]:
        """What the runs are too short for, in sentences: without these guards nothing can be adopted.

        Args:
            criteria: What has to be shown.
            requests: Of the run that has the fewest.
        """
        return tuple(
            f"A run has {requests:,} requests, and {guard.label}, a guard, is not told below "
            f'{guard.requests_needed:,}, warm-up not counted: longer runs are needed for "adopt".'
            for guard in criteria.guards
            if requests < guard.requests_needed
        )

    def order(self, arms: Sequence[str], index: int) -> tuple[str, ...]:
        """The arms of one pair in the order of their runs; every second pair turns the one before it around.

        Args:
            arms: All arms.
            index: Number of the pair among those that compare arms, from 0.
        """
        drawn = random.Random(f"{self.seed}/{index // 2}").sample(list(arms), len(arms))  # noqa: S311 - no secret.
        return tuple(drawn if index % 2 == 0 else drawn[::-1])

    def pairs_for(self, needed: int | None, criteria: Criteria, *, noise_is_known: bool) -> int:
        """Pairs to run.

        Args:
            needed: What the noise demands; None where no number is enough.
            criteria: What has to be shown.
            noise_is_known: Whether there were A/A runs.
        """
        if self.pairs is not None:
            return self.pairs
        if not noise_is_known:
            return max(USUAL_PAIRS, criteria.minimum_pairs)
        wanted = self.most_pairs if needed is None else min(needed, self.most_pairs)
        return max(wanted, criteria.minimum_pairs)

    def is_swapped(self, index: int, pairs: int) -> bool:
        """Whether the machines have changed roles in a pair: from the second half on.

        Args:
            index: Number of the pair among those that compare arms, from 0.
            pairs: Pairs to run.
        """
        return self.swaps_machines and index >= (pairs + 1) // 2


def pairs_needed_for(noise: float, design: Design, criteria: Criteria) -> int | None:
    """Pairs that show the gain of a design to be beyond the minimum effect; None where no number does.

    Args:
        noise: Standard deviation of the logarithm of a run's figure.
        design: Tells the gain.
        criteria: Tell the minimum effect, and the chance of a false finding.
    """
    return pairs_for_reduction(noise, design.gain, beyond=criteria.minimum_effect, alpha=criteria.alpha_each)
