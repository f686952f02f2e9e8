"""What a tuning found, as plain values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.inference_api import Api
    from warmroute.tune.profile import TrafficProfile

Verdict = Literal["gains", "gains nothing", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The values for ``routing_config``."""

    routing_strategy: str
    """PREFIX_AWARE, or what serves as well without it."""

    prefix_length: int
    concurrency_threshold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What requests meet under one routing; the mean over the seeds. Times in seconds, rates from 0 to 1."""

    ttft_p50: float
    ttft_p90: float
    ttft_p99: float
    ttft_mean: float
    hit_rate: float
    overflow_share: float
    least_share: float
    """Part of the requests that the least used instance served."""

    largest_share: float
    output_tokens_per_second: float
    ttft_mean_least: float
    """The mean TTFT of the fastest run."""

    ttft_mean_most: float
    """The mean TTFT of the slowest run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Other values, and what they would bring."""

    prefix_length: int
    concurrency_threshold: int
    keys: int
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class Collapse:
    """A threshold that left the fleet overflowing."""

    concurrency_threshold: int
    after: tuple[str, ...]
    """The disturbances that it did not recover from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How far the threshold is from a fleet that overflows for good."""

    in_flight_healthy: float
    """Requests in flight on an instance at the busiest time, when they go home."""

    in_flight_overflowing: float | None
    """The same when none goes home; None where it grows without end: the fleet cannot carry that."""

    survives_from: int | None
    """The least threshold tried that recovered from every disturbance, and all above it."""

    collapses_at: int | None
    """The largest threshold tried that did not; None where all did."""

    disturbances: tuple[str, ...]
    """What was tried."""

    collapses: tuple[Collapse, ...]
    """The thresholds that did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningResult:
    """A recommendation and what to expect of it."""

    recommendation: Recommendation
    verdict: Verdict
    verdict_reason: str
    why: str
    """Why this length, in one paragraph."""

    api: Api
    flat_lengths: tuple[int, int]
    """Lengths about as good by expected hit rate."""

    flat_thresholds: tuple[int, int]
    """Thresholds about as good among those tried."""

    hit_rate_ceiling: float
    """The most that any routing finds of the second half, in closed form: caches without a limit hold the first."""

    hit_rate_predicted: float
    """The same for the recommended length."""

    hit_rate_without_affinity: float
    """The same for RANDOM."""

    strategies: Mapping[str, Expectation]
    """The rest of the trace, on which nothing was chosen."""

    scale_out: Mapping[str, Expectation]
    """The minute after an instance has been added."""

    new_instance_share: Mapping[str, float]
    """Part of the requests of that minute that the new instance served."""

    other_lengths: tuple[Alternative, ...]
    other_thresholds: tuple[Alternative, ...]
    margin: Margin
    slo_ttft_p90_seconds: float | None
    meets_slo: bool | None
    profile: TrafficProfile
    instances: int
    seed: int
    simulated_requests: int
    notes: tuple[str, ...]
    cautions: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON output."""
        return asdict(self)
