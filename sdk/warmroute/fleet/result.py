"""What a simulation found: a record for each request, in columns, and summaries of them."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from math import inf, isnan, nan
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

    __slots__ = ("_arrival", "_cached", "_e2e", "_flags", "_instance", "_output", "_prompt", "_ttft")

    def __init__(self) -> None:
        self._arrival, self._ttft, self._e2e = array("d"), array("d"), array("d")
        self._instance, self._prompt, self._output, self._cached = array("i"), array("i"), array("i"), array("i")
        self._flags = array("B")

    def __len__(self) -> int:
        return len(self._arrival)

    def __getitem__(self, index: int) -> RequestRecord:
        flags = self._flags[index]
        return RequestRecord(
            self._arrival[index],
            self._instance[index],
            self._ttft[index],
            self._e2e[index],
            self._prompt[index],
            self._cached[index],
            self._output[index],
            bool(flags & _OVERFLOWED),
            bool(flags & _RETRIED),
        )

    def __iter__(self) -> Iterator[RequestRecord]:
        return (self[index] for index in range(len(self)))

    def __bytes__(self) -> bytes:
        return b"".join(getattr(self, column).tobytes() for column in self.__slots__)

    def add(self, arrival_seconds: float, prompt_tokens: int, output_tokens: int) -> int:
        """Begin the record of one request.

        Returns:
            Its position.
        """
        self._arrival.append(arrival_seconds)
        self._ttft.append(nan)
        self._e2e.append(nan)
        self._instance.append(-1)
        self._prompt.append(prompt_tokens)
        self._output.append(output_tokens)
        self._cached.append(0)
        self._flags.append(0)
        return len(self._arrival) - 1

    def routed(self, index: int, instance: int, *, overflowed: bool) -> None:
        """Note where a request was sent."""
        self._instance[index] = instance
        if overflowed:
            self._flags[index] |= _OVERFLOWED

    def retried(self, index: int) -> None:
        """Note that a request has to be sent again."""
        self._flags[index] = _RETRIED
        self._ttft[index] = nan

    def started(self, index: int, now: float, cached_tokens: int) -> None:
        """Note the first token of an answer."""
        self._ttft[index] = now - self._arrival[index]
        self._cached[index] = cached_tokens

    def finished(self, index: int, now: float) -> None:
        """Note the last token of an answer."""
        self._e2e[index] = now - self._arrival[index]

    def summary(self, from_seconds: float = 0.0, to_seconds: float = inf) -> Summary:
        """What the requests met that arrived in a span of time.

        Args:
            from_seconds: Leave out what arrived before, for example while caches were cold.
            to_seconds: Leave out what arrived at this time or later.
        """
        arrival, e2e = self._arrival, self._e2e
        inside = [i for i, at in enumerate(arrival) if from_seconds <= at < to_seconds]
        served = [i for i in inside if not isnan(e2e[i])]
        shares = Counter(self._instance[i] for i in served)
        prompt_tokens = sum(self._prompt[i] for i in served)
        begin = arrival[served[0]] if served else 0.0
        seconds = max((arrival[i] + e2e[i] for i in served), default=0.0) - begin
        return Summary(
            requests=len(inside),
            refused=len(inside) - len(served),
            retried=sum(bool(self._flags[i] & _RETRIED) for i in inside),
            ttft=percentiles([self._ttft[i] for i in served]),
            e2e=percentiles([e2e[i] for i in served]),
            hit_rate=sum(self._cached[i] for i in served) / prompt_tokens if prompt_tokens else 0.0,
            overflow_share=_part(sum(self._flags[i] & _OVERFLOWED for i in served), len(served)),
            share_by_instance={instance: _part(count, len(served)) for instance, count in sorted(shares.items())},
            requests_per_second=len(served) / seconds if seconds else 0.0,
            output_tokens_per_second=sum(self._output[i] for i in served) / seconds if seconds else 0.0,
        )


_OVERFLOWED, _RETRIED = 1, 2


def percentiles(values: Sequence[float]) -> Percentiles:
    """The distribution of some values: for each percentile the least value that so many are at or below."""
    if not values:
        return Percentiles(nan, nan, nan, nan)
    ordered = sorted(values)
    p50, p90, p99 = (ordered[-(-len(ordered) * percent // 100) - 1] for percent in (50, 90, 99))
    return Percentiles(p50, p90, p99, sum(ordered) / len(ordered))


def _part(count: int, total: int) -> float:
    return count / total if total else 0.0
