"""The requests of a run as columns: what figures are computed from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf, nan
from typing import TYPE_CHECKING, Any

from warmroute.measure.statistics.packages import numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.run import ReplayedRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestColumns:
    """Requests, a NumPy array for each field. Latencies of failed requests are infinite."""

    planned_seconds: Any
    ttft_seconds: Any
    e2e_seconds: Any
    inter_token_seconds: Any
    output_tokens: Any
    """NaN where the server did not count them; 0 with an error."""

    failed: Any
    instance: Any
    """Empty text where it is not known."""

    segment: Any

    def __len__(self) -> int:
        return len(self.planned_seconds)

    def only(self, chosen: Any) -> RequestColumns:
        """The requests at which a Boolean array is true."""
        return RequestColumns(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


def columns(requests: Sequence[ReplayedRequest]) -> RequestColumns:
    """The requests of a run, none left out.

    Args:
        requests: In any order.

    Raises:
        MissingExtraError: NumPy is not installed.
    """
    np = numpy()
    failed = np.array([request.error is not None for request in requests], dtype=bool)

    def latency(name: str) -> Any:
        return np.where(failed, inf, np.array([getattr(request, name) for request in requests], dtype=float))

    return RequestColumns(
        planned_seconds=np.array([request.planned_seconds for request in requests], dtype=float),
        ttft_seconds=latency("ttft_seconds"),
        e2e_seconds=latency("e2e_seconds"),
        inter_token_seconds=latency("inter_token_seconds"),
        output_tokens=np.where(failed, 0.0, np.array([_count(request.output_tokens) for request in requests])),
        failed=failed,
        instance=np.array([request.instance or "" for request in requests], dtype=str),
        segment=np.array([request.segment for request in requests], dtype=str),
    )


def _count(tokens: int | None) -> float:
    return nan if tokens is None else tokens
