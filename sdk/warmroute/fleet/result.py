"""What a simulation found: a record for each request, and summaries of them."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from math import inf, isnan, nan
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class RequestRecord(NamedTuple):
    """What one request met."""

    arrival_seconds: float
    instance: int
    """The instance that served it, counted from 0 in order of their start."""

    ttft_seconds: float
    """From its arrival to the first token of its answer; NaN when it was refused."""

    e2e_seconds: float
    """From its arrival to the last token; NaN when it was refused."""

    prompt_tokens: int
    cached_tokens: int
    """Tokens of the prompt that were found in a cache."""

    output_tokens: int
    overflowed: bool
    """Whether it was sent away from the home of its prefix."""

    retried: bool
    """Whether it was sent again, its first instance lost."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """How times are distributed, in seconds; NaN without any."""

    p50: float
    p90: float
    p99: float
    mean: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What the requests of a span of time met, by the time of their arrival."""

    requests: int
    refused: int
    """Requests that can never fit the KV cache of an engine."""

    retried: int
    ttft: Percentiles
    e2e: Percentiles
    hit_rate: float
    """Part of all prompt tokens that were found in a cache."""

    overflow_share: float
    """Part of the requests that were sent away from the home of their prefix."""

    share_by_instance: Mapping[int, float]
    """Part of the requests that each instance served."""

    requests_per_second: float
    """Requests answered, over the time from the span's first arrival to its last answer."""

    output_tokens_per_second: float


class SimulationResult:
    """The requests of a simulation, in order of arrival. Two of one seed are equal to the byte."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows = bytearray()

    def __len__(self) -> int:
        return len(self._rows) // _ROW.size

    def __getitem__(self, index: int) -> RequestRecord:
        if not -len(self) <= index < len(self):
            raise IndexError(f"There is no request {index} among {len(self)}.")
        return RequestRecord(*_ROW.unpack_from(self._rows, index % len(self) * _ROW.size))

    def __iter__(self) -> Iterator[RequestRecord]:
        return map(RequestRecord._make, _ROW.iter_unpack(self._rows))

    def __bytes__(self) -> bytes:
        return bytes(self._rows)

    def add(self) -> int:
        """Make room for the record of one more request.

        Returns:
            Its position.
        """
        position = len(self._rows) // _ROW.size
        self._rows += _NO_ROW
        return position

    def __setitem__(self, index: int, record: RequestRecord) -> None:
        _ROW.pack_into(self._rows, index * _ROW.size, *record)

    def summary(self, from_seconds: float = 0.0, to_seconds: float = inf) -> Summary:
        """What the requests met that arrived in a span of time.

        Args:
            from_seconds: Leave out what arrived before, for example while caches were cold.
            to_seconds: Leave out what arrived at this time or later.
        """
        requests = retried = overflowed = prompt_tokens = cached_tokens = output_tokens = 0
        ttft, e2e = array("d"), array("d")
        shares: Counter[int] = Counter()
        begin, end = inf, -inf
        for record in self:
            if not from_seconds <= record.arrival_seconds < to_seconds:
                continue
            requests += 1
            retried += record.retried
            if isnan(record.e2e_seconds):
                continue
            ttft.append(record.ttft_seconds)
            e2e.append(record.e2e_seconds)
            shares[record.instance] += 1
            overflowed += record.overflowed
            prompt_tokens += record.prompt_tokens
            cached_tokens += record.cached_tokens
            output_tokens += record.output_tokens
            begin = min(begin, record.arrival_seconds)
            end = max(end, record.arrival_seconds + record.e2e_seconds)
        return Summary(
            requests=requests,
            refused=requests - len(e2e),
            retried=retried,
            ttft=percentiles(ttft),
            e2e=percentiles(e2e),
            hit_rate=_part(cached_tokens, prompt_tokens),
            overflow_share=_part(overflowed, len(e2e)),
            share_by_instance={instance: _part(count, len(e2e)) for instance, count in sorted(shares.items())},
            requests_per_second=len(e2e) / (end - begin) if end > begin else 0.0,
            output_tokens_per_second=output_tokens / (end - begin) if end > begin else 0.0,
        )


_ROW = Struct("<didd3i2?")
"""A record, packed: a million of them take 42 MB."""

_NO_ROW = bytes(_ROW.size)


def percentiles(values: Sequence[float]) -> Percentiles:
    """The distribution of some values: for each percentile the least value that so many are at or below."""
    if not values:
        return Percentiles(nan, nan, nan, nan)
    ordered = sorted(values)
    p50, p90, p99 = (ordered[-(-len(ordered) * percent // 100) - 1] for percent in (50, 90, 99))
    return Percentiles(p50, p90, p99, sum(ordered) / len(ordered))


def _part(count: int, total: int) -> float:
    return count / total if total else 0.0
