"""Telemetry from detailed observability: vLLM's metrics in CloudWatch, by PromQL.

Source of endpoint, labels and limits: CloudWatch's and SageMaker's pages on detailed observability, 2026.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry.cloudwatch import WAIT_SECONDS, Clock
from warmroute.measure.telemetry.figures import Figures, with_reasons
from warmroute.measure.telemetry.overflow_bound import overflow_bound
from warmroute.measure.telemetry.promql_names import discovered
from warmroute.measure.telemetry.rounds import Counter, Gauge, Reading, Round
from warmroute.measure.telemetry.run_telemetry import RunTelemetry

if TYPE_CHECKING:
    from datetime import datetime

    from warmroute.measure.telemetry.promql_api import PromqlApi, Series

STEP_SECONDS = 60.0
"""Between two points; the default of SageMaker's MetricPublishFrequencyInSeconds."""

MOST_SERIES = 500
"""CloudWatch leaves out what is beyond, and answers 200."""

_INSTANCE = ("@resource.host.id", "aws.sagemaker.container.id", "host.id")
"""Labels that name what served, the most telling first."""

_COUNTERS = {
    "finished": Counter.FINISHED,
    "queried_tokens": Counter.QUERIED_TOKENS,
    "hit_tokens": Counter.HIT_TOKENS,
    "ttft_count": Counter.TTFT_COUNT,
    "ttft_sum": Counter.TTFT_SECONDS,
}
_POLL_SECONDS = 15.0


class PromqlObserver:
    """Reads, once the run is over, what the containers' own metrics were.

    Args:
        api: CloudWatch's PromQL endpoint.
        endpoint_name: The endpoint.
        variant_name: Its variant; empty for all.
        concurrency_threshold: The one of the endpoint, which bounds the overflow; None where there is none.
        step_seconds: Between two points.
        wait_seconds: How long the last data are waited for.
        clock: What time it is.
    """

    def __init__(
        self,
        api: PromqlApi,
        endpoint_name: str,
        variant_name: str = "",
        *,
        concurrency_threshold: int | None = None,
        step_seconds: float = STEP_SECONDS,
        wait_seconds: float = WAIT_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        self._api = api
        self._labels = {"aws.sagemaker.endpoint.name": endpoint_name}
        self._labels |= {"aws.sagemaker.variant.name": variant_name} if variant_name else {}
        self._threshold = concurrency_threshold
        self._step = step_seconds
        self._wait = wait_seconds
        self._clock = clock or Clock()

    def begin(self) -> None:
        """The run begins now.

        Raises:
            WarmrouteError: The endpoint does not answer, or refuses.
        """
        self._api.names()
        self._began = self._clock.now()

    def end(self) -> RunTelemetry:
        """What CloudWatch has of the run; its last data are waited for."""
        ended = self._clock.now()
        notes: list[str] = []
        reasons: dict[str, str] = {}
        values: dict[str, Any] = {}
        otherwise = "CloudWatch has no data of it, of the time of the run."
        try:
            names, found, notes = self._found(ended)
            figures = Figures(self._rounds(found), appear_from_zero=False)
            values = figures.values()
            notes += figures.notes()
            bound = overflow_bound(figures.rounds, self._threshold) if self._threshold is not None else None
            values["overflow"] = bound
            reasons["overflow"] = "Nobody counts overflows there, and too little is known to bound them."
            for figure in ("hit_tokens", "queried_tokens", "kv_cache_usage"):
                if figure not in names:
                    reasons[figure] = "No metric of CloudWatch has a name that is known for it."
        except WarmrouteError as error:  # What else was measured of the run is not lost for this.
            otherwise = error.message
        return RunTelemetry(
            sources=(f"CloudWatch PromQL {', '.join(self._labels.values())}",),
            began=self._began,
            ended=ended,
            interval_seconds=self._step,
            notes=tuple(notes),
            **with_reasons(values, reasons, otherwise),
        )

    def give_up(self) -> None:
        """Nothing goes on between the beginning and the end."""

    def _found(self, ended: datetime) -> tuple[dict[str, str], dict[str, list[Series]], list[str]]:
        """The names that there are, the series of each, and what has to be said of them."""
        deadline = ended + timedelta(seconds=self._wait)
        while True:
            names = discovered(self._api.names())
            found = {figure: self._series(name, ended) for figure, name in names.items()}
            last = max((at for each in found.values() for one in each for at, _ in one.points), default=0.0)
            if not names or last >= ended.timestamp() - self._step or self._clock.now() >= deadline:
                break
            self._clock.sleep(min(_POLL_SECONDS, max(0.1, (deadline - self._clock.now()).total_seconds())))
        notes = [f"{figure}: metric {name}." for figure, name in sorted(names.items())]
        for figure in [figure for figure, series in found.items() if len(series) >= MOST_SERIES]:
            del found[figure]
            notes.append(f"{figure}: left out, since CloudWatch answers with no more than {MOST_SERIES} series.")
        if last < ended.timestamp() - self._step:
            notes.append(f"CloudWatch had no data of the run's end after {self._wait:.0f} s of waiting.")
        return names, found, notes

    def _series(self, name: str, ended: datetime) -> list[Series]:
        # One step earlier, so that what was counted before the run can be taken off.
        began = self._began.timestamp() - self._step
        labels = ", ".join(f"{_quoted(label)}={_quoted(value)}" for label, value in self._labels.items())
        return self._api.series(f"{{{_quoted(name)}, {labels}}}", began, ended.timestamp(), self._step)

    def _rounds(self, found: dict[str, list[Series]]) -> list[Round]:
        """The series as samples of instances, by their moments."""
        values: dict[float, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
        buckets: dict[float, dict[str, dict[float, float]]] = defaultdict(lambda: defaultdict(dict))
        for figure, series in found.items():
            for each in series:
                instance = _instance(each)
                for at, value in each.points:
                    if figure == "ttft_bucket":
                        of = buckets[at][instance]
                        bound = float(each.labels.get("le", "inf"))
                        of[bound] = of.get(bound, 0.0) + value
                    else:
                        so_far = values[at][instance]
                        more = max if figure == "kv_cache_usage" else operator.add
                        so_far[figure] = more(so_far[figure], value) if figure in so_far else value
        zero = self._began.timestamp()
        return [
            Round(at - zero, {name: _reading(of, buckets[at][name]) for name, of in values[at].items()})
            for at in sorted(values)
        ]


def _reading(values: dict[str, float], buckets: dict[float, float]) -> Reading:
    gauges = {Gauge(name): values[name] for name in ("waiting", "kv_cache_usage") if name in values}
    if "running" in values and "waiting" in values:
        gauges[Gauge.IN_FLIGHT] = values["running"] + values["waiting"]
    return Reading({_COUNTERS[name]: value for name, value in values.items() if name in _COUNTERS}, gauges, buckets)


def _instance(series: Series) -> str:
    for label in _INSTANCE:
        if series.labels.get(label):
            return series.labels[label]
    return "unnamed"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'
