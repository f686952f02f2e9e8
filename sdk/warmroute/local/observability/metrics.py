"""The figures of the local endpoint in Prometheus' text format.

Names are Prometheus' and vLLM's: a base unit, ``_total`` for counters, and vLLM's own word where vLLM has the metric.
Source: Prometheus' documentation, "Metric and label naming" and "Exposition formats".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warmroute.local.data import Failure
from warmroute.local.data.latency import BUCKETS
from warmroute.local.observability.overview import InstanceStatus, overview
from warmroute.measure.telemetry import local_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warmroute.local.data import Fleets
    from warmroute.local.observability.overview import SeenFleet, SeenInstance

    Labels = dict[str, str]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class _Metric(NamedTuple):
    name: str
    kind: str
    help: str
    value: Callable[[SeenInstance], float | None]


_OF_INSTANCES = (
    _Metric(
        local_names.IN_SERVICE,
        "gauge",
        "1 where the instance can be sent requests.",
        lambda seen: seen.status is InstanceStatus.IN_SERVICE,
    ),
    _Metric(local_names.REQUESTS, "counter", "Requests given to it.", lambda seen: seen.instance.requests),
    _Metric(
        "warmroute_requests_in_flight",
        "gauge",
        "Requests given to it and not finished; what concurrency_threshold is compared with.",
        lambda seen: seen.instance.in_flight,
    ),
    _Metric(
        local_names.OVERFLOW_REQUESTS,
        "counter",
        "Requests given to it although their prefix lives on another instance, which was at its threshold.",
        lambda seen: seen.instance.overflows,
    ),
    _Metric(
        "warmroute_displaced_requests_total",
        "counter",
        "Requests whose prefix lives on it and that overflowed to another instance.",
        lambda seen: seen.instance.sent_away,
    ),
    _Metric(
        local_names.QUERIED_TOKENS,
        "counter",
        "Prompt tokens that its engine looked for in the KV cache.",
        lambda seen: seen.counts.queried_tokens,
    ),
    _Metric(
        local_names.HIT_TOKENS,
        "counter",
        "Prompt tokens that its engine found in the KV cache.",
        lambda seen: seen.counts.hit_tokens,
    ),
    _Metric(
        local_names.WAITING,
        "gauge",
        "Requests that wait in its engine for a place.",
        lambda seen: seen.counts.waiting,
    ),
    _Metric(
        local_names.KV_CACHE_USAGE,
        "gauge",
        "Share of its KV cache in use.",
        lambda seen: seen.counts.kv_cache_usage,
    ),
)


async def exposition(fleets: Fleets) -> str:
    """Every metric; one that an engine does not tell is left out for its instance.

    Args:
        fleets: Those of the data plane.
    """
    seen = [fleet for _, of_endpoint in await overview(fleets) for fleet in of_endpoint]
    instances = [(_labels(fleet, each), each) for fleet in seen for each in fleet.instances]
    lines = [
        line
        for metric in _OF_INSTANCES
        for line in _family(
            metric.name, metric.kind, metric.help, [(labels, metric.value(each)) for labels, each in instances]
        )
    ]
    lines += _family(
        local_names.ENGINE,
        "gauge",
        "1, with what computes its answers as a label, where that is told.",
        [({**labels, "engine": each.counts.software}, 1) for labels, each in instances if each.counts.software],
    )
    lines += _family(
        "warmroute_request_failures_total",
        "counter",
        "Requests given to it that have no whole answer.",
        [({**labels, "reason": kind}, each.instance.failures[kind]) for labels, each in instances for kind in Failure],
    )
    lines += _family(
        "warmroute_refused_requests_total",
        "counter",
        "Requests that were refused before an instance was chosen.",
        [({"code": code}, count) for code, count in sorted(fleets.refused.items())],
    )
    return "\n".join([*lines, *_ttft(instances), ""])


def _ttft(instances: Sequence[tuple[Labels, SeenInstance]]) -> Iterator[str]:
    yield f"# HELP {local_names.TTFT} From the choice of the instance to the first part of an answer that streams."
    yield f"# TYPE {local_names.TTFT} histogram"
    for labels, seen in instances:
        counts = seen.instance.ttft.cumulative()
        for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
            yield _line(f"{local_names.TTFT}_bucket", {**labels, "le": bound}, count)
        yield _line(f"{local_names.TTFT}_sum", labels, seen.instance.ttft.sum)
        yield _line(f"{local_names.TTFT}_count", labels, counts[-1])


def _family(name: str, kind: str, explained: str, values: Sequence[tuple[Labels, float | None]]) -> Iterator[str]:
    yield f"# HELP {name} {explained}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        if value is not None:
            yield _line(name, labels, value)


def _labels(fleet: SeenFleet, seen: SeenInstance) -> Labels:
    return {
        "region": fleet.endpoint.region,
        "endpoint": fleet.endpoint.state.name,
        "variant": fleet.fleet.variant.name,
        "component": fleet.fleet.component,
        "instance": seen.instance.id,
    }


def _line(name: str, labels: Labels, value: float) -> str:
    shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{shown}}} {float(value):.17g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
