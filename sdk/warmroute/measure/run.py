"""What a replay recorded: one request, and one run of one arm."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedRequest:
    """What one request of a replay met; also one row of ``requests.parquet``, its fields the columns.

    Times count from the start of its run on a monotonic clock. What could not be measured is None, or NaN for a time.
    """

    arm: str
    """The policy under test, as the comparison names it: ``random``, ``prefix``."""

    pair: int
    """The pair of runs that its run belongs to, from 0."""

    position: int
    """Place of its run in the pair, from 0: the arms of a pair run in random order."""

    index: int
    """Its place in the trace, from 0: equal in all runs, so that the same request can be compared across arms."""

    segment: str = ""
    """The part of the traffic that it belongs to, a tenant or a use case; empty without any."""

    planned_seconds: float
    """When it had to be sent."""

    sent_seconds: float
    """When it was sent; later than planned where the client lagged, NaN where it never was."""

    ttft_seconds: float
    """From its planned time to the first token, so that a lagging client hides no wait; infinite with an error."""

    e2e_seconds: float
    """From its planned time to the last token; infinite with an error."""

    inter_token_seconds: float
    """Mean time between two tokens after the first; infinite with an error, NaN below two tokens."""

    input_tokens: int | None
    """Tokens of the prompt, as the server counted them; without its usage, those of the trace."""

    output_tokens: int | None
    """Tokens of the answer, as the server counted them."""

    cached_tokens: int | None
    """Tokens of the prompt that were found in a KV cache; None where the server does not tell."""

    variant: str | None = None
    """``InvokedProductionVariant`` of the answer."""

    instance: str | None = None
    """What served it, where the endpoint tells: the local one does, SageMaker does not."""

    overflowed: bool | None = None
    """Whether it was sent away from the instance of its prefix; None where that is not known."""

    error: str | None = None
    """Why it has no complete answer, an error code or a fixed phrase, never text of a prompt; None with one."""

    connection_wait_seconds: float = 0.0
    """The part of its lag in which it waited for one of the bounded number of connections."""

    @property
    def lag_seconds(self) -> float:
        """How late it was sent; NaN where it never was."""
        return self.sent_seconds - self.planned_seconds


class WindowKind(StrEnum):
    """Why a span of time is no steady state."""

    COLD = "cold"
    """Caches are empty: the first touch of most prefixes, or the declared warm-up."""

    SCALING = "scaling"
    """Instances come or go."""


@dataclass(frozen=True, slots=True)
class Window:
    """A span of a run, in seconds from its start, that is reported apart from steady state."""

    kind: WindowKind
    from_seconds: float
    to_seconds: float
    """Its end, not part of it."""

    reason: str = ""
    """What happened, in a few words: ``7 to 8 instances``; empty where the kind says it all."""

    def holds(self, seconds: float) -> bool:
        """Whether a time of the run, a request's planned one, lies inside."""
        return self.from_seconds <= seconds < self.to_seconds


SIMULATED = "simulated"
"""How the engine of a run begins where a model of an engine computed its answers, and no GPU."""

RunKey = tuple[int, int, str]
"""Pair, position in the pair, and arm of a run; no two runs of a comparison share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What is known of one replay of the trace against one arm, complete or not, besides its requests."""

    arm: str
    pair: int
    """Its pair, from 0; those of the baseline against itself (A/A) come first, and numbers go on behind them."""

    position: int
    """Place in the pair, from 0."""

    part: int = 0
    """The part of the trace that it sent, from 0; the runs of a pair send the same one."""

    started: datetime
    """When its first request was planned, with a time zone."""

    duration_seconds: float
    """From its start to its last answer."""

    endpoint_arn: str
    endpoint_config_arn: str = ""
    """Configuration that the endpoint had when the run began; empty where it was not asked."""

    engine: str = ""
    """What computed the answers: an image and its digest, or the version that an engine tells; empty if not told.

    One that only simulates an engine begins with ``SIMULATED``.
    """

    fleet: str = ""
    """The machines that served it: a variant, where two change roles between pairs; empty with one fleet."""

    instances: int | None = None
    """How many instances, or copies of a component, served when it began; None where that was not told."""

    windows: tuple[Window, ...] = ()
    """Spans that are no steady state, in seconds from its start; they may overlap."""

    problems: tuple[str, ...] = ()
    """Why it must not be compared, a sentence each: the client lagged, the configuration changed; empty when valid."""

    @property
    def is_simulated(self) -> bool:
        """Whether its times are those of a model."""
        return self.engine.startswith(SIMULATED)

    @property
    def valid(self) -> bool:
        """Whether it may be compared."""
        return not self.problems

    @property
    def key(self) -> RunKey:
        """What names it."""
        return self.pair, self.position, self.arm

    def facts(self) -> dict[str, Any]:
        """The fields that every view of a run has, for making another one of it."""
        return {field.name: getattr(self, field.name) for field in fields(RunFacts)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(RunFacts):
    """A run with its requests."""

    requests: tuple[ReplayedRequest, ...]
    """Every planned request, those that failed or were never sent among them."""
