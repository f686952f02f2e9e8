"""What a comparison has to show, declared before it begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDARIES = (
    Metric.TTFT_P50,
    Metric.TTFT_P99,
    Metric.E2E_P50,
    Metric.E2E_P90,
    Metric.INTER_TOKEN_P90,
    Metric.OUTPUT_TOKENS_PER_SECOND,
)
_GUARDS = {
    Metric.TTFT_P99: 0.10,
    Metric.ERROR_SHARE: 0.005,
    Metric.OUTPUT_TOKENS_PER_SECOND: 0.05,
    Metric.LARGEST_INSTANCE_SHARE: 0.25,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """The question of a comparison. Changed after a look at the runs, its error rates hold no longer."""

    primary: Metric = Metric.TTFT_P90
    """The one figure that decides."""

    minimum_effect: float = 0.05
    """Smallest improvement worth a change, 0.05 for 5 %; also the largest difference that counts as none."""

    secondaries: tuple[Metric, ...] = _SECONDARIES
    """Figures reported beside it, their p-values corrected for their number."""

    guards: Mapping[Metric, float] = field(default_factory=lambda: dict(_GUARDS))
    """How much worse each may be: a part of the baseline's figure, for errors a difference of shares."""

    minimum_pairs: int = 5
    """Fewer valid pairs give no verdict."""

    alpha: float = 0.05
    """Chance of a false finding, all verdicts together."""

    verdicts: int = 1
    """How many verdicts share ``alpha``: candidates, times the looks that are taken at the runs."""

    def __post_init__(self) -> None:
        if not self.primary.is_latency and self.primary is not Metric.OUTPUT_TOKENS_PER_SECOND:
            raise WarmrouteError(f"{self.primary} cannot be the primary metric.", "Take a latency or the throughput.")
        margins = {"minimum_effect": self.minimum_effect, "alpha": self.alpha}
        margins |= {f"guards[{metric}]": margin for metric, margin in self.guards.items()}
        for name, value in margins.items():
            if not 0 < value < 1:
                raise WarmrouteError(f"{name}: {value:g} is not between 0 and 1.", "0.05 stands for 5 %.")
        if self.minimum_pairs < 3:
            raise WarmrouteError(f"minimum_pairs: {self.minimum_pairs} is below 3.", "5 pairs or more tell something.")
        if self.verdicts < 1:
            raise WarmrouteError(f"verdicts: {self.verdicts} is below 1.", "Count candidates times looks.")

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON document."""
        return {
            "primary": str(self.primary),
            "minimum_effect": self.minimum_effect,
            "secondaries": [str(metric) for metric in self.secondaries],
            "guards": {str(metric): margin for metric, margin in self.guards.items()},
            "minimum_pairs": self.minimum_pairs,
            "alpha": self.alpha,
            "verdicts": self.verdicts,
        }

    @property
    def alpha_each(self) -> float:
        """Chance of a false finding in one verdict."""
        return self.alpha / self.verdicts

    @property
    def effect(self) -> float:
        """The minimum effect as a log ratio, above zero."""
        return -log(1 - self.minimum_effect)

    def margin(self, guard: Metric) -> float:
        """How much worse a guard may be, as a log ratio or as a difference of shares, above zero."""
        allowed = self.guards[guard]
        if guard.compared_by_difference:
            return allowed
        return log(1 + allowed) if guard.more_is_worse else -log(1 - allowed)
