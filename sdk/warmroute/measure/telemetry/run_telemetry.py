"""What the servers themselves counted while a run was on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
"""Version of the JSON form."""


class OverflowBasis(StrEnum):
    """How the share of overflowing requests is known."""

    MEASURED = "measured"
    """The router counted them, as the local endpoint's does."""

    BOUNDED = "bounded"
    """Nobody counted them; from the load of the instances follows how many there can have been."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """The share of requests that routing sent away from the instance of their prefix, between 0 and 1."""

    at_least: float
    at_most: float
    basis: OverflowBasis
    meaning: str
    """What the figure says and does not say, in a sentence or two."""


@dataclass(frozen=True, slots=True)
class Point:
    """One sample of a figure."""

    seconds: float
    """From the beginning of the run."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTtft:
    """Time to first token as the servers measured it: without the network, and without the wait before the router."""

    count: int
    """Answers that it was measured for."""

    mean_seconds: float
    p50_seconds: float | None
    """Interpolated within a bucket of the histogram; None where it lies above the highest bound."""

    p90_seconds: float | None
    p99_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTelemetry:
    """What the servers counted between the beginning and the end of a run.

    A figure that is not known is None, and ``unavailable`` says why, under the figure's name. None is never 0.
    """

    sources: tuple[str, ...]
    """Where the figures come from: ``vLLM http://10.0.0.1:8080/metrics``."""

    began: datetime
    """With a time zone."""

    ended: datetime

    interval_seconds: float
    """Planned time between two samples."""

    requests: int | None = None
    """Requests that the servers took in."""

    queried_tokens: int | None = None
    """Prompt tokens that were looked for in the KV caches."""

    hit_tokens: int | None = None
    """Those of them that were found."""

    hit_rate_ceiling: float | None = None
    """What one cache that holds everything would reach with this trace; given, not measured."""

    hit_rate_predicted: float | None = None
    """What the simulation predicts; given, not measured."""

    overflow: Overflow | None = None

    instance_shares: Mapping[str, float] | None = None
    """Share of the requests that each instance, or component copy, was given."""

    queue_depth: tuple[Point, ...] | None = None
    """Requests that wait in the engines for a place, all instances together."""

    kv_cache_usage: tuple[Point, ...] | None = None
    """Share of the KV cache in use on the fullest instance, between 0 and 1."""

    ttft: ServerTtft | None = None

    prediction_basis: str = ""
    """What the predicted hit rate assumes, in sentences; empty for nothing, or without one."""

    unavailable: Mapping[str, str] = field(default_factory=dict)
    """For each figure that is None, why."""

    notes: tuple[str, ...] = ()
    """What a reader of the figures has to know: samples that are missing, counters that began anew."""

    def __post_init__(self) -> None:
        missing = {name for name in FIGURES if getattr(self, name) is None}
        if missing != set(self.unavailable):
            odd = ", ".join(sorted(missing ^ set(self.unavailable)))
            raise ValueError(f"A figure is None if and only if a reason is given; not so: {odd}.")

    @property
    def hit_rate(self) -> float | None:
        """The hit rate delivered: tokens found over tokens looked for, of all instances together."""
        if self.hit_tokens is None or not self.queried_tokens:
            return None
        return self.hit_tokens / self.queried_tokens

    @property
    def largest_share(self) -> float | None:
        """Share of the busiest instance."""
        return max(self.instance_shares.values(), default=None) if self.instance_shares else None

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON document; the hit rates and the largest share beside the fields."""
        values = {"format": FORMAT, **asdict(self), "began": self.began.isoformat(), "ended": self.ended.isoformat()}
        rates = {
            "delivered": self.hit_rate,
            "predicted": self.hit_rate_predicted,
            "ceiling": self.hit_rate_ceiling,
        }
        return {**values, "hit_rate": rates, "largest_share": self.largest_share}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> RunTelemetry:
        """What `to_json` wrote.

        Raises:
            WarmrouteError: It is something else, or of a later format.
        """
        if values.get("format") != FORMAT:
            raise WarmrouteError(
                f"Telemetry: its format is {values.get('format')!r}, and this release reads {FORMAT}.",
                "Read it with the release that wrote it.",
            )
        try:
            return cls(**{each.name: _READ.get(each.name, _as_it_is)(values[each.name]) for each in fields(cls)})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise WarmrouteError(f"Telemetry: it cannot be read: {error!r}.", "Is it another document?") from None


FIGURES = (
    "requests",
    "queried_tokens",
    "hit_tokens",
    "hit_rate_ceiling",
    "hit_rate_predicted",
    "overflow",
    "instance_shares",
    "queue_depth",
    "kv_cache_usage",
    "ttft",
)
"""The fields that may be None with a reason."""

EXPECTED = ("hit_rate_ceiling", "hit_rate_predicted")
"""Those of them that nobody counts."""


def _as_it_is(value: Any) -> Any:
    return value


def _points(values: Any) -> tuple[Point, ...] | None:
    return None if values is None else tuple(Point(**each) for each in values)


def _overflow(values: Any) -> Overflow | None:
    return None if values is None else Overflow(**{**values, "basis": OverflowBasis(values["basis"])})


_READ: dict[str, Any] = {
    "sources": tuple,
    "notes": tuple,
    "began": datetime.fromisoformat,
    "ended": datetime.fromisoformat,
    "queue_depth": _points,
    "kv_cache_usage": _points,
    "overflow": _overflow,
    "ttft": lambda values: None if values is None else ServerTtft(**values),
}
