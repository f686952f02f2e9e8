"""The figures of a run that arms are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isnan
from typing import TYPE_CHECKING

from warmroute.measure.statistics import TooFewRequestsError, quantile, requests_needed
from warmroute.measure.statistics.packages import numpy

if TYPE_CHECKING:
    from typing import Any

    from warmroute.measure.columns import RequestColumns


class Metric(StrEnum):
    """One figure of a run."""

    TTFT_P50 = "ttft_p50"
    TTFT_P90 = "ttft_p90"
    TTFT_P99 = "ttft_p99"
    E2E_P50 = "e2e_p50"
    E2E_P90 = "e2e_p90"
    E2E_P99 = "e2e_p99"
    INTER_TOKEN_P50 = "inter_token_p50"  # noqa: S105 - no password.
    INTER_TOKEN_P90 = "inter_token_p90"  # noqa: S105 - no password.
    OUTPUT_TOKENS_PER_SECOND = "output_tokens_per_second"
    ERROR_SHARE = "error_share"
    LARGEST_INSTANCE_SHARE = "largest_instance_share"

    @property
    def label(self) -> str:
        """What a report calls it."""
        return _LABELS[self]

    @property
    def is_latency(self) -> bool:
        """Whether it is a quantile of times."""
        return self in _QUANTILES

    @property
    def requests_needed(self) -> int:
        """Requests of a run below which it is not told."""
        return requests_needed(_QUANTILES[self][1]) if self in _QUANTILES else 1

    @property
    def more_is_worse(self) -> bool:
        """Whether the arm with the smaller figure is the better one."""
        return self is not Metric.OUTPUT_TOKENS_PER_SECOND

    @property
    def compared_by_difference(self) -> bool:
        """Whether arms are compared by a difference; a ratio of shares of errors has no meaning where one is zero."""
        return self is Metric.ERROR_SHARE


_LABELS = {
    Metric.TTFT_P50: "P50 TTFT",
    Metric.TTFT_P90: "P90 TTFT",
    Metric.TTFT_P99: "P99 TTFT",
    Metric.E2E_P50: "P50 end-to-end time",
    Metric.E2E_P90: "P90 end-to-end time",
    Metric.E2E_P99: "P99 end-to-end time",
    Metric.INTER_TOKEN_P50: "P50 time between tokens",
    Metric.INTER_TOKEN_P90: "P90 time between tokens",
    Metric.OUTPUT_TOKENS_PER_SECOND: "Throughput in output tokens",
    Metric.ERROR_SHARE: "Share of failed requests",
    Metric.LARGEST_INSTANCE_SHARE: "Share of the busiest instance",
}
_QUANTILES = {
    Metric.TTFT_P50: ("ttft_seconds", 0.5),
    Metric.TTFT_P90: ("ttft_seconds", 0.9),
    Metric.TTFT_P99: ("ttft_seconds", 0.99),
    Metric.E2E_P50: ("e2e_seconds", 0.5),
    Metric.E2E_P90: ("e2e_seconds", 0.9),
    Metric.E2E_P99: ("e2e_seconds", 0.99),
    Metric.INTER_TOKEN_P50: ("inter_token_seconds", 0.5),
    Metric.INTER_TOKEN_P90: ("inter_token_seconds", 0.9),
}


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """Why a figure is not there."""

    reason: str
    too_few_requests: bool = False
    """Whether a longer run would tell it."""


Figures = Mapping[Metric, float | Unmeasured]


def figures(requests: RequestColumns, seconds: float) -> Figures:
    """Every metric of some requests.

    Args:
        requests: Of one run.
        seconds: Time that they took, for throughput.
    """
    latencies = {metric: _latency(requests, *_QUANTILES[metric]) for metric in _QUANTILES}
    return {
        **latencies,
        Metric.OUTPUT_TOKENS_PER_SECOND: _throughput(requests, seconds),
        Metric.ERROR_SHARE: float(requests.failed.mean()) if len(requests) else _NO_REQUESTS,
        Metric.LARGEST_INSTANCE_SHARE: _largest_share(requests.instance[~requests.failed]),
    }


_NO_REQUESTS = Unmeasured("There are no requests.", too_few_requests=True)


def _latency(requests: RequestColumns, column: str, probability: float) -> float | Unmeasured:
    np = numpy()
    times = getattr(requests, column)
    if column == "inter_token_seconds":
        times = times[~np.isnan(times)]
    unknown = int(np.isnan(times).sum())
    if unknown:
        return Unmeasured(f"The time was not measured for {unknown:,} of {len(times):,} requests.")
    try:
        return quantile(times, probability)
    except TooFewRequestsError as error:
        return Unmeasured(error.message, too_few_requests=True)


def _throughput(requests: RequestColumns, seconds: float) -> float | Unmeasured:
    tokens = float(requests.output_tokens.sum())
    if isnan(tokens):
        return Unmeasured("The endpoint does not count output tokens of all its answers.")
    return tokens / seconds if seconds > 0 else _NO_REQUESTS


def _largest_share(instances: Any) -> float | Unmeasured:
    np = numpy()
    if len(instances) == 0 or not (instances != "").all():
        return Unmeasured("The endpoint does not tell which instance served a request.")
    return float(np.unique(instances, return_counts=True)[1].max() / len(instances))
