"""Observed requests as a fleet is asked them: when, which prompt, how long an answer."""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.fleet import FleetRequest, share_prompts
from warmroute.tune.arrivals import arrivals
from warmroute.tune.pieces import pieces
from warmroute.tune.tokens import token_counts
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from warmroute.fleet import EngineProfile
    from warmroute.tune.observed import Observed


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests in order of arrival, without keys: those depend on the prefix length."""

    requests: tuple[FleetRequest, ...]
    rows: tuple[int, ...]
    """Position of each among the observed requests."""

    sessions: tuple[Hashable, ...]
    """What conversation each belongs to; one of its own where the source does not tell."""

    notes: tuple[str, ...]
    """What was assumed, in sentences."""

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def seconds(self) -> float:
        """From the first arrival to the last."""
        return self.requests[-1].arrival_seconds - self.requests[0].arrival_seconds

    @property
    def requests_per_second(self) -> float:
        """Mean rate of arrival."""
        return (len(self) - 1) / self.seconds if self.seconds else 0.0

    def keyed(self, keys: Sequence[Hashable], *, seed: int = 0) -> list[FleetRequest]:
        """The requests with their routing keys.

        Args:
            keys: What is compared of each observed request, as `Observed.keys` tells it.
            seed: Places the keys on the instances anew.
        """
        names: dict[Hashable, bytes] = {}
        for key in keys:
            if key not in names:
                names[key] = hashlib.sha256(f"{seed}/{len(names)}".encode()).digest()[:8]
        return [request._replace(key=names[keys[row]]) for request, row in zip(self.requests, self.rows, strict=True)]


def workload(
    observed: Observed,
    *,
    instances: int,
    profile: EngineProfile,
    requests_per_second: float | None = None,
    seed: int = 0,
) -> Workload:
    """What a fleet would be asked.

    Chunks of text are pieces of a prompt, so that prompts share what their texts share. A turn that a later one of its
    session goes on from brings its answer into the cache. Where the source tells no times, sessions begin at random.

    Args:
        observed: The requests.
        instances: Instances of the fleet, from which a rate is derived where there is none.
        profile: What its engines are like.
        requests_per_second: Mean rate of arrival; None for that of the trace.
        seed: Of the times that are drawn.

    Raises:
        WarmrouteError: The rate is not above 0, or no request fits an engine's KV cache.
    """
    if requests_per_second is not None and not 0 < requests_per_second < inf:
        raise WarmrouteError(f"A rate of {requests_per_second} requests a second.", "Give one above 0.")
    counts = token_counts(observed)
    sessions: list[Hashable] = [
        ("alone", row) if session is None else session for row, session in enumerate(observed.session)
    ]
    found = arrivals(
        observed,
        sessions,
        counts,
        instances=instances,
        profile=profile,
        requests_per_second=requests_per_second,
        chance=random.Random(seed),  # noqa: S311 - a repeatable sequence, not a secret one.
    )
    most = profile.cost_model.kv_cache_tokens
    fits = [tokens + answer <= most for tokens, answer in zip(counts.input_tokens, counts.output_tokens, strict=True)]
    order = sorted((row for row in found.seconds if fits[row]), key=lambda row: (found.seconds[row], row))
    if not order:
        raise WarmrouteError(f"Every request is larger than an engine's KV cache of {most:,} tokens.", _LARGER_CACHE)
    prompts = share_prompts(pieces(observed, sessions, counts, order), block_size=profile.block_size)
    begin = found.seconds[order[0]]
    return Workload(
        tuple(
            FleetRequest(found.seconds[row] - begin, prompt, counts.output_tokens[row])
            for row, prompt in zip(order, prompts, strict=True)
        ),
        tuple(order),
        tuple(sessions[row] for row in order),
        (*counts.notes, *found.notes, *_too_large(len(fits) - sum(fits), most)),
    )


def _too_large(count: int, most: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"Left out: {counted(count, 'request')} that no engine's KV cache of {most:,} tokens can hold.",)


_LARGER_CACHE = "Give the profile of an engine with a larger one, or check the counts of tokens."


def busiest(work: Workload, count: int) -> Workload:
    """The requests in a row that come fastest, on a clock that begins with the first of them; all, where they are few.

    Args:
        work: The requests.
        count: How many are wanted.
    """
    if count >= len(work):
        return work
    at = [request.arrival_seconds for request in work.requests]
    first = min(range(len(at) - count + 1), key=lambda first: at[first + count - 1] - at[first])
    return _part(work, slice(first, first + count), begin=at[first])


def halves(work: Workload) -> tuple[Workload, float]:
    """About the first half of the requests, and when the others begin to arrive.

    Raises:
        WarmrouteError: All arrive at once.
    """
    at = [request.arrival_seconds for request in work.requests]
    middle = bisect_left(at, at[len(at) // 2]) or bisect_right(at, at[0])
    if middle == len(at):
        raise WarmrouteError("All requests arrive at once.", "Give a trace of times that differ, or none at all.")
    return _part(work, slice(middle)), at[middle]


def _part(work: Workload, kept: slice, *, begin: float = 0.0) -> Workload:
    return Workload(
        tuple(request._replace(arrival_seconds=request.arrival_seconds - begin) for request in work.requests[kept]),
        work.rows[kept],
        work.sessions[kept],
        work.notes,
    )
