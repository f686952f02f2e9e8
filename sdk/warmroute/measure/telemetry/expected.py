"""Cache hits that are not measured but expected: the most that any routing can have, and what a simulation predicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from warmroute.measure.telemetry.figures import NOT_GIVEN, with_reasons
from warmroute.measure.telemetry.run_telemetry import RunTelemetry

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedHits:
    """Given by whoever computed them; a figure that is not known is None, with the reason."""

    ceiling: float | None = None
    """What one cache that holds everything would reach with what the run sends."""

    predicted: float | None = None
    """What a simulation of the routing predicts."""

    why_no_ceiling: str = NOT_GIVEN
    why_not_predicted: str = NOT_GIVEN

    basis: str = ""
    """What the prediction assumes, in sentences."""

    def added_to(self, telemetry: RunTelemetry) -> RunTelemetry:
        """What was counted during the run, with what was expected of it.

        Args:
            telemetry: Without.
        """
        figures: dict[str, Any] = {"hit_rate_ceiling": self.ceiling, "hit_rate_predicted": self.predicted}
        reasons = {"hit_rate_ceiling": self.why_no_ceiling, "hit_rate_predicted": self.why_not_predicted}
        counted = {name: reason for name, reason in telemetry.unavailable.items() if name not in figures}
        missing = {name: reasons[name] for name, value in figures.items() if value is None}
        return replace(telemetry, **figures, unavailable={**counted, **missing}, prediction_basis=self.basis)


def nothing_counted(began: datetime, ended: datetime, reason: str) -> RunTelemetry:
    """The telemetry of a run beside which nothing was observed.

    Args:
        began: When the run began.
        ended: When it ended.
        reason: Why there is none.
    """
    figures = with_reasons({}, {}, reason)
    return RunTelemetry(sources=(), began=began, ended=ended, interval_seconds=0.0, **figures)
