"""Telemetry from vLLM's own metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.measure.telemetry import vllm_names
from warmroute.measure.telemetry.overflow_bound import overflow_bound
from warmroute.measure.telemetry.prometheus_text import samples
from warmroute.measure.telemetry.rounds import Counter, Gauge, Reading
from warmroute.measure.telemetry.sampling import INTERVAL_SECONDS, SamplingObserver, Unanswered, metrics_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.measure.telemetry.figures import Figures
    from warmroute.measure.telemetry.prometheus_text import Sample
    from warmroute.measure.telemetry.run_telemetry import Overflow

_STARTED = "process_start_time_seconds"


def vllm_observer(
    urls: Sequence[str], *, concurrency_threshold: int | None = None, interval_seconds: float = INTERVAL_SECONDS
) -> SamplingObserver:
    """An observer of vLLM servers.

    Args:
        urls: Their base addresses, or those of their ``/metrics``; one for each instance, all of them.
        concurrency_threshold: The one of the endpoint, which bounds the overflow; None where there is none.
        interval_seconds: Between two samples.
    """

    def overflow(figures: Figures) -> Overflow | str:
        if concurrency_threshold is None:
            return "Engines do not see overflows, and no concurrency threshold was given to bound them by."
        return overflow_bound(figures.rounds, concurrency_threshold) or "The engines tell too little to bound it."

    return SamplingObserver(
        [_VllmServer(url) for url in urls],
        overflow,
        {"ttft": "No request was answered, or the engines do not count it."},
        appear_from_zero=False,
        interval_seconds=interval_seconds,
    )


class _VllmServer:
    """One server.

    Args:
        url: Its base address, or that of its metrics.
    """

    def __init__(self, url: str) -> None:
        base = url.rstrip("/")
        self.url = base if base.endswith("/metrics") else f"{base}/metrics"
        self.name = f"vLLM {self.url}"
        self._instance = self.url.removesuffix("/metrics")

    def read(self) -> Mapping[str, Reading]:
        found = samples(metrics_text(self.url), (*vllm_names.ALL, _STARTED))
        if not any(sample.name in vllm_names.ALL for sample in found):
            raise Unanswered("it has none of vLLM's metrics")
        return {self._instance: reading_of(found)}


def reading_of(found: Sequence[Sample]) -> Reading:
    """What one server shows, all engines of it together.

    Args:
        found: Samples of its metrics.
    """
    values: dict[str, list[float]] = {}
    for sample in found:
        values.setdefault(sample.name, []).append(sample.value)

    def of(spellings: tuple[str, ...]) -> list[float]:
        name = vllm_names.spelling(spellings, values)
        return values[name] if name else []

    def summed(spellings: Mapping[Counter, tuple[str, ...]]) -> dict[Counter, float]:
        return {name: sum(of(spelled)) for name, spelled in spellings.items() if of(spelled)}

    gauges: dict[Gauge, float] = {}
    running, waiting, usage = map(of, (vllm_names.RUNNING, vllm_names.WAITING, vllm_names.KV_CACHE_USAGE))
    if waiting:
        gauges[Gauge.WAITING] = sum(waiting)
    if running and waiting:
        gauges[Gauge.IN_FLIGHT] = sum(running) + sum(waiting)
    if usage:
        gauges[Gauge.KV_CACHE_USAGE] = max(usage)
    buckets: dict[float, float] = {}
    bucket = vllm_names.spelling(vllm_names.TTFT_BUCKET, values)
    for sample in found:
        if sample.name == bucket and "le" in sample.labels:
            bound = float(sample.labels["le"])
            buckets[bound] = buckets.get(bound, 0.0) + sample.value
    return Reading(summed(_COUNTERS), gauges, buckets, max(values.get(_STARTED, []), default=None))


_COUNTERS = {
    Counter.FINISHED: vllm_names.FINISHED,
    Counter.QUERIED_TOKENS: vllm_names.QUERIED_TOKENS,
    Counter.HIT_TOKENS: vllm_names.HIT_TOKENS,
    Counter.TTFT_COUNT: vllm_names.TTFT_COUNT,
    Counter.TTFT_SECONDS: vllm_names.TTFT_SUM,
}
