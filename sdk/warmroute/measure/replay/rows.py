"""The record of a request: what became of it, or that it was not sent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from warmroute.measure.run import ReplayedRequest

if TYPE_CHECKING:
    from warmroute.measure.replay.answer import Answer
    from warmroute.measure.replay.http.connection import Connection
    from warmroute.measure.replay.planning import Planned

NOT_SENT, STOPPED, LOST = "not sent", "stopped", "worker lost"
_INSTANCE_HEADER, _OVERFLOW_HEADER = "x-warmroute-instance", "x-warmroute-overflow"
"""What the local endpoint alone tells: what served a request, and where its prefix lives if that was elsewhere."""


class Place(NamedTuple):
    """Where a run stands in an experiment."""

    arm: str
    """Name of the policy under test."""
    pair: int
    """The pair of runs that it belongs to, from 0."""
    position: int
    """Its place in the pair, from 0."""


ALONE = Place("replay", 0, 0)
"""A run of no experiment."""


class Sent:
    """One request on its way."""

    __slots__ = ("answer", "asked_at", "connection", "planned_at", "request", "sent_at")

    def __init__(self, request: Planned, planned_at: float, asked_at: float, answer: Answer) -> None:
        self.request = request
        self.planned_at = planned_at
        self.asked_at = asked_at
        """When a connection was asked for."""
        self.answer = answer
        self.sent_at: float | None = None
        self.connection: Connection | None = None


def sent_row(sent: Sent, error: str | None, place: Place, *, start: float, now: float) -> ReplayedRequest:
    """The record of a request that has ended.

    Args:
        sent: The request, as far as it came.
        error: Why it has no complete answer; None with one.
        place: Where its run stands.
        start: When the run began, on the clock that requests are planned by.
        now: What time it is on that clock.
    """
    answer, planned, usage = sent.answer, sent.planned_at, sent.answer.usage
    instance = answer.headers.get(_INSTANCE_HEADER)
    tokens = usage.completion_tokens if usage is not None else answer.chunks
    ttft = e2e = gap = math.inf
    if error is None and answer.first_token_at is not None and answer.last_token_at is not None:
        ttft, e2e = answer.first_token_at - planned, answer.last_token_at - planned
        gap = (e2e - ttft) / (tokens - 1) if tokens > 1 else math.nan
    return ReplayedRequest(
        **place._asdict(),
        index=sent.request.number,
        segment=sent.request.segment,
        planned_seconds=planned - start,
        sent_seconds=math.nan if sent.sent_at is None else sent.sent_at - start,
        ttft_seconds=ttft,
        e2e_seconds=e2e,
        inter_token_seconds=gap,
        input_tokens=sent.request.input_tokens if usage is None else usage.prompt_tokens,
        output_tokens=None if error is not None and usage is None else tokens,
        cached_tokens=None if usage is None else usage.cached_tokens,
        variant=answer.headers.get("x-amzn-invoked-production-variant"),
        instance=instance,
        overflowed=None if instance is None else _OVERFLOW_HEADER in answer.headers,
        error=error,
        connection_wait_seconds=(now if sent.sent_at is None else sent.sent_at) - sent.asked_at,
    )


def unsent_row(request: Planned, planned_seconds: float | None, place: Place, error: str = NOT_SENT) -> ReplayedRequest:
    """The record of a request that was never sent, as far as is known.

    Args:
        request: The request.
        planned_seconds: When it would have been, from the start of the run; None if that was not known yet.
        place: Where its run stands.
        error: Why there is no more to tell.
    """
    return ReplayedRequest(
        **place._asdict(),
        index=request.number,
        segment=request.segment,
        planned_seconds=math.nan if planned_seconds is None else planned_seconds,
        sent_seconds=math.nan,
        ttft_seconds=math.inf,
        e2e_seconds=math.inf,
        inter_token_seconds=math.inf,
        input_tokens=request.input_tokens,
        output_tokens=None,
        cached_tokens=None,
        error=error,
    )
