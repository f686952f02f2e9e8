"""Telemetry from the local endpoint, whose router counts what SageMaker's does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry import local_names
from warmroute.measure.telemetry.prometheus_text import samples
from warmroute.measure.telemetry.rounds import Counter, Gauge, Reading
from warmroute.measure.telemetry.run_telemetry import Overflow, OverflowBasis
from warmroute.measure.telemetry.sampling import INTERVAL_SECONDS, SamplingObserver, Unanswered, metrics_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.measure.telemetry.figures import Figures
    from warmroute.measure.telemetry.prometheus_text import Sample

_COUNTERS = {
    local_names.REQUESTS: Counter.REQUESTS,
    local_names.OVERFLOW_REQUESTS: Counter.OVERFLOW_REQUESTS,
    local_names.QUERIED_TOKENS: Counter.QUERIED_TOKENS,
    local_names.HIT_TOKENS: Counter.HIT_TOKENS,
    f"{local_names.TTFT}_count": Counter.TTFT_COUNT,
    f"{local_names.TTFT}_sum": Counter.TTFT_SECONDS,
}
_GAUGES = {local_names.WAITING: Gauge.WAITING, local_names.KV_CACHE_USAGE: Gauge.KV_CACHE_USAGE}
_BUCKET = f"{local_names.TTFT}_bucket"
_NAMES = (*_COUNTERS, *_GAUGES, _BUCKET)
_NOT_TOLD = "The engines behind the local endpoint do not tell it."


def local_observer(
    url: str, endpoint_name: str, variant_name: str = "", *, interval_seconds: float = INTERVAL_SECONDS
) -> SamplingObserver:
    """An observer of an endpoint that `warmroute local` serves.

    Args:
        url: Root of the local endpoint.
        endpoint_name: The endpoint.
        variant_name: Its variant; empty for all.
        interval_seconds: Between two samples.
    """
    return SamplingObserver(
        [_LocalEndpoint(url, endpoint_name, variant_name)],
        _measured,
        {
            **dict.fromkeys(("queried_tokens", "hit_tokens", "queue_depth", "kv_cache_usage"), _NOT_TOLD),
            "ttft": "No answer was streamed.",
            "instance_shares": "There was no request.",
        },
        appear_from_zero=True,
        interval_seconds=interval_seconds,
    )


class LocalFleet(NamedTuple):
    """What serves an endpoint on this machine."""

    instances: frozenset[str]
    """Names of those that can be sent requests."""

    engines: frozenset[str]
    """What computes their answers, where that is told: ``vLLM 0.30.0``, ``simulated by …``."""


def local_fleet(url: str, endpoint_name: str, variant_name: str = "") -> LocalFleet:
    """What serves now, of an endpoint that `warmroute local` serves.

    Args:
        url: Root of the local endpoint.
        endpoint_name: The endpoint.
        variant_name: Its variant; empty for all.

    Raises:
        WarmrouteError: It does not answer.
    """
    endpoint = _LocalEndpoint(url, endpoint_name, variant_name)
    try:
        text = metrics_text(endpoint.url)
    except Unanswered as reason:
        raise WarmrouteError(f"{endpoint.name}: {reason}.", "Does it run?") from None
    found = [each for each in samples(text, (local_names.IN_SERVICE, local_names.ENGINE)) if endpoint.holds(each)]
    return LocalFleet(
        frozenset(each.labels["instance"] for each in found if each.name == local_names.IN_SERVICE and each.value),
        frozenset(each.labels["engine"] for each in found if each.name == local_names.ENGINE),
    )


def _measured(figures: Figures) -> Overflow | str:
    requests, overflows = figures.counted(Counter.REQUESTS), figures.counted(Counter.OVERFLOW_REQUESTS)
    if not requests or overflows is None:
        return "There was no request."
    share = overflows / requests
    return Overflow(share, share, OverflowBasis.MEASURED, "The router of the local endpoint counted every overflow.")


class _LocalEndpoint:
    """Its metrics."""

    def __init__(self, url: str, endpoint_name: str, variant_name: str) -> None:
        self.url = f"{url.rstrip('/')}{local_names.METRICS_PATH}"
        self.name = f"local endpoint {self.url}"
        self._wanted = {"endpoint": endpoint_name} | ({"variant": variant_name} if variant_name else {})

    def holds(self, sample: Sample) -> bool:
        """Whether a sample is of an instance of it."""
        return self._wanted.items() <= sample.labels.items() and "instance" in sample.labels

    def read(self) -> Mapping[str, Reading]:
        by_instance: dict[str, list[Sample]] = {}
        for sample in samples(metrics_text(self.url), _NAMES):
            if self.holds(sample):
                by_instance.setdefault(sample.labels["instance"], []).append(sample)
        if not by_instance:
            wanted = ", ".join(f"{kind} {name}" for kind, name in self._wanted.items())
            raise Unanswered(f"it has no instance of {wanted}")
        return {instance: _reading(found) for instance, found in by_instance.items()}


def _reading(found: list[Sample]) -> Reading:
    return Reading(
        {_COUNTERS[sample.name]: sample.value for sample in found if sample.name in _COUNTERS},
        {_GAUGES[sample.name]: sample.value for sample in found if sample.name in _GAUGES},
        {float(sample.labels["le"]): sample.value for sample in found if sample.name == _BUCKET},
    )
