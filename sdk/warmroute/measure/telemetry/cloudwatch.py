"""Telemetry from SageMaker's classic metrics in CloudWatch.

Source of names, dimensions and statistics: SageMaker's developer guide, "Amazon SageMaker AI metrics in CloudWatch".
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry.cloudwatch_data import CloudWatchData, Metric
from warmroute.measure.telemetry.figures import with_reasons
from warmroute.measure.telemetry.run_telemetry import Overflow, OverflowBasis, RunTelemetry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PERIOD_SECONDS = 60
"""The shortest that every endpoint publishes. Source: botocore ``MetricsConfig``, whose default it is."""

WAIT_SECONDS = 300.0
"""How long the last data of a run are waited for: CloudWatch has them some minutes late."""

_POLL_SECONDS = 15.0
_ENGINES_ONLY = "Classic metrics do not have it; the engines' own do."
_NO_DATA = "CloudWatch has no data of the time of the run."


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, for tests to replace."""

    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    sleep: Callable[[float], None] = time.sleep


class CloudWatchObserver:
    """Reads, once the run is over, what SageMaker has published of it.

    Args:
        client: A boto3 client of ``cloudwatch``.
        endpoint_name: The endpoint.
        variant_name: Its variant.
        component_name: The inference component that serves, for an endpoint with components.
        concurrency_threshold: The one of the endpoint, which bounds the overflow; None where there is none.
        period_seconds: Length of a period.
        wait_seconds: How long the last data are waited for.
        clock: What time it is.
    """

    def __init__(
        self,
        client: Any,
        endpoint_name: str,
        variant_name: str,
        *,
        component_name: str = "",
        concurrency_threshold: int | None = None,
        period_seconds: int = PERIOD_SECONDS,
        wait_seconds: float = WAIT_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        self._data = CloudWatchData(client)
        self._variant = {"EndpointName": endpoint_name, "VariantName": variant_name}
        self._component = component_name
        self._threshold = concurrency_threshold
        self._period = period_seconds
        self._wait = wait_seconds
        self._clock = clock or Clock()

    def begin(self) -> None:
        """The run begins now.

        Raises:
            WarmrouteError: CloudWatch does not answer, or refuses.
        """
        self._data.dimensions("Invocations", self._variant)
        self._began = self._clock.now()

    def end(self) -> RunTelemetry:
        """What CloudWatch has of the run; its last data are waited for."""
        ended = self._clock.now()
        values: dict[str, Any] = {}
        notes: list[str] = []
        reasons = dict.fromkeys(("queried_tokens", "hit_tokens", "queue_depth", "kv_cache_usage"), _ENGINES_ONLY)
        reasons["ttft"] = "Classic metrics have it only for bidirectional streams; the engines' own do."
        otherwise = _NO_DATA
        try:
            values, why_not, notes = self._figures(ended)
            reasons |= why_not
        except WarmrouteError as error:  # What else was measured of the run is not lost for this.
            otherwise = error.message
        return RunTelemetry(
            sources=(f"CloudWatch {', '.join(self._of_all.values())}",),
            began=self._began,
            ended=ended,
            interval_seconds=self._period,
            notes=tuple(notes),
            **with_reasons(values, reasons, otherwise),
        )

    def give_up(self) -> None:
        """Nothing goes on between the beginning and the end."""

    def _figures(self, ended: datetime) -> tuple[dict[str, Any], dict[str, str], list[str]]:
        whole = Metric("Invocations", self._of_all, "Sum")
        concurrent = Metric(
            "ConcurrentRequestsPerCopy" if self._component else "ConcurrentRequestsPerModel", self._of_all, "Maximum"
        )
        is_whole = self._wait_for(whole, ended)
        instances = self._instances()
        invocations, busiest, *shares = self._read(
            [whole, concurrent, *(Metric("Invocations", each, "Sum") for each in instances)], ended
        )
        requests = sum(invocations.values())
        values: dict[str, Any] = {"requests": round(requests) if invocations else None}
        reasons = {}
        served = {_name(each): sum(found.values()) for each, found in zip(instances, shares, strict=True) if found}
        if served and sum(served.values()):
            values["instance_shares"] = {name: count / sum(served.values()) for name, count in served.items()}
        elif invocations:
            reasons["instance_shares"] = "SageMaker publishes it only with EnableEnhancedMetrics in MetricsConfig."
        overflow = self._overflow(invocations, busiest)
        if isinstance(overflow, str):
            reasons["overflow"] = overflow
        else:
            values["overflow"] = overflow
        notes = [f"Periods of {self._period} s are counted whole; the first and the last also hold other requests."]
        if not is_whole:
            notes.append(
                f"After {self._wait:.0f} s of waiting CloudWatch had no data of the last whole period of the run; its "
                "figures may lack the end of the run."
            )
        return values, reasons, notes

    @property
    def _of_all(self) -> dict[str, str]:
        return {"InferenceComponentName": self._component} if self._component else self._variant

    def _instances(self) -> list[dict[str, str]]:
        """The dimensions of every instance, or component copy, that CloudWatch knows."""
        known = self._variant | self._of_all
        last = {"InstanceId", "ContainerId"} if self._component else {"InstanceId"}
        found = self._data.dimensions("Invocations", known)
        return sorted((each for each in found if set(each) == set(known) | last), key=_name)

    def _wait_for(self, metric: Metric, ended: datetime) -> bool:
        """Wait until a metric has data of the last period that the run fills."""
        last = _floor(ended, self._period) - timedelta(seconds=self._period)
        deadline = ended + timedelta(seconds=self._wait)
        while True:
            if any(at >= last for at in self._read([metric], ended)[0]):
                return True
            if self._clock.now() >= deadline:
                return False
            self._clock.sleep(min(_POLL_SECONDS, max(0.1, (deadline - self._clock.now()).total_seconds())))

    def _read(self, metrics: Sequence[Metric], ended: datetime) -> list[dict[datetime, float]]:
        last = _floor(ended, self._period) + timedelta(seconds=self._period)
        return self._data.values(metrics, _floor(self._began, self._period), last, self._period)

    def _overflow(self, invocations: Mapping[datetime, float], busiest: Mapping[datetime, float]) -> Overflow | str:
        requests = sum(invocations.values())
        if self._threshold is None:
            return "SageMaker does not count overflows, and no concurrency threshold was given to bound them by."
        if not requests or not busiest:
            return _NO_DATA
        possible = sum(count for at, count in invocations.items() if busiest.get(at, math.inf) >= self._threshold)
        return Overflow(
            at_least=0.0,
            at_most=possible / requests,
            basis=OverflowBasis.BOUNDED,
            meaning=(
                "SageMaker counts no overflows. The bound is the share of invocations in periods in which concurrent "
                f"requests reached {self._threshold}; in the other periods none can have overflowed. It is an upper "
                "bound, by whole periods, and often far above the truth."
            ),
        )


def _floor(moment: datetime, period_seconds: int) -> datetime:
    return datetime.fromtimestamp(moment.timestamp() // period_seconds * period_seconds, UTC)


def _name(dimensions: Mapping[str, str]) -> str:
    return "/".join(dimensions[name] for name in ("InstanceId", "ContainerId") if name in dimensions)
