"""An engine in virtual time, and how the routers see it."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from warmroute.fleet.result import RequestRecord

if TYPE_CHECKING:
    from warmroute.fleet.engine import Engine
    from warmroute.fleet.sequence import EngineRequest
    from warmroute.fleet.workload import FleetRequest


class EngineCopy:
    """One engine of a fleet, with the time up to which it is busy.

    It decides at the beginning of a step what the step does. The uneventful steps that follow are told with it, as one;
    it commits itself to none of these: a request that comes meanwhile cuts them short at the end of the step that is
    under way.

    Args:
        instance: The instance that it is on, counted from 0.
        number: Which copy on that instance.
        engine: Its engine.
    """

    __slots__ = ("_began", "_finished", "_steps", "engine", "event", "expected", "flights", "id", "instance", "lost")

    def __init__(self, instance: int, number: int, engine: Engine[Flight]) -> None:
        self.id = f"i-{instance}/{number}"
        self.instance = instance
        self.engine = engine
        self.lost = False
        self.expected = 0
        """Requests handed over to it, those on their way included."""
        self.flights: dict[Flight, None] = {}
        """Requests that the engine has."""
        self.event = 0
        """Number of the event at which its results are due; 0 while it has nothing to do."""
        self._finished: tuple[Flight, ...] = ()
        """Requests that a step which is taken finishes."""
        self._began = 0.0
        """When the uneventful steps begin: at the end of such a step."""
        self._steps = 0
        """How many they are."""

    def begin(self, now: float) -> float | None:
        """Begin the next steps.

        Returns:
            When their results are due; None without anything to do.
        """
        engine = self.engine
        steps = engine.uneventful_steps()
        if steps == 1:
            seconds, started, self._finished = engine.advance()
            now += seconds
            for flight, cached_tokens in started.items():
                flight.answer_begins(now, cached_tokens)
            # What finishes leaves the fleet at the end of this very step.
            steps = 0 if self._finished else engine.uneventful_steps()
            if steps == 1:
                steps = 0
        elif not steps:
            return None
        self._began, self._steps = now, steps
        return now + engine.seconds_ahead(steps) if steps else now

    def add(self, flight: Flight, request: EngineRequest[Flight], now: float) -> float | None:
        """Give it a request.

        Returns:
            When the next results are due, if that has changed.

        Raises:
            RequestRefusedError: It can never serve it.
        """
        engine = self.engine
        waits = engine.waiting or engine.running >= engine.max_num_seqs
        engine.add(request)
        self.flights[flight] = None
        if not self.event:
            return self.begin(now)
        if waits or not self._steps:
            return None
        steps = engine.steps_to_pass(now - self._began) if now > self._began else 0
        if steps >= self._steps:
            return None
        self._steps = steps
        return self._began + engine.seconds_ahead(steps)

    def results(self) -> tuple[Flight, ...]:
        """Requests that are answered by what is due now."""
        finished = self.engine.decode(self._steps) if self._steps else self._finished
        for flight in finished:
            del self.flights[flight]
        return finished


class RoutingTarget:
    """An engine as one router sees it, with a count of its own."""

    __slots__ = ("copy", "id", "in_flight")

    def __init__(self, copy: EngineCopy) -> None:
        self.copy = copy
        self.id = copy.id
        self.in_flight = 0


class Flight:
    """A request on its way through the fleet, and what it has met so far."""

    __slots__ = (
        "arrival_seconds",
        "cached_tokens",
        "client",
        "copy",
        "decodes",
        "index",
        "instance",
        "overflowed",
        "request",
        "retried",
        "target",
        "ttft_seconds",
    )

    def __init__(self, index: int, arrival_seconds: float, request: FleetRequest, client: int) -> None:
        self.index = index
        self.arrival_seconds = arrival_seconds
        self.request = request
        self.client = client
        """The client that waits for the answer, in a closed loop."""
        self.target: RoutingTarget | None = None
        """What it was routed to; counts it until it is answered."""
        self.copy: EngineCopy | None = None
        """The engine that has it."""
        self.instance = -1
        """The instance that it was routed to."""
        self.decodes = self.overflowed = self.retried = False
        """Whether it is with an engine that only decodes, was sent away from its home, and was sent again."""
        self.ttft_seconds = nan
        self.cached_tokens = 0

    def answer_begins(self, now: float, cached_tokens: int) -> None:
        """Its first token is out; so it was before, when it only decodes now."""
        if not self.decodes:
            self.ttft_seconds = now - self.arrival_seconds
            self.cached_tokens = cached_tokens

    def record(self, e2e_seconds: float) -> RequestRecord:
        """What it has met, at its end."""
        tokens = self.request.prompt.tokens, self.cached_tokens, self.request.output_tokens
        ttft = self.ttft_seconds
        return RequestRecord(
            self.arrival_seconds, self.instance, ttft, e2e_seconds, *tokens, self.overflowed, self.retried
        )
