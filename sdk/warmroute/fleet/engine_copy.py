"""An engine in virtual time, and how the routers see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.fleet.engine import Engine
    from warmroute.fleet.sequence import Advance, EngineRequest
    from warmroute.fleet.workload import FleetRequest


class EngineCopy:
    """One engine of a fleet, with the time up to which it is busy.

    It decides at the beginning of a step what the step does. Where it can take many at once it commits itself to
    none of them: a request that comes meanwhile cuts them short at the end of the step that is under way.

    Args:
        instance: The instance that it is on, counted from 0.
        number: Which copy on that instance.
        engine: Its engine.
    """

    __slots__ = ("_advance", "_began", "_steps", "engine", "event", "expected", "flights", "id", "instance", "lost")

    def __init__(self, instance: int, number: int, engine: Engine) -> None:
        self.id = f"i-{instance}/{number}"
        self.instance = instance
        self.engine = engine
        self.lost = False
        self.expected = 0
        """Requests handed over to it, those on their way included."""
        self.flights: dict[str, Flight] = {}
        """Requests that the engine has, by their ids."""
        self.event = 0
        """Number of the event at which its results are due; 0 while it has nothing to do."""
        self._advance: Advance | None = None
        self._began = 0.0
        self._steps = 0

    def begin(self, now: float) -> float | None:
        """Begin the next steps.

        Returns:
            When their results are due; None without anything to do.
        """
        engine = self.engine
        if not engine.has_work:
            self.event = 0
            return None
        self._began = now
        self._steps = engine.uneventful_steps()
        if self._steps == 1:
            self._advance = engine.advance()
            return now + self._advance.seconds
        self._advance = None
        return now + engine.seconds_ahead(self._steps)

    def add(self, request: EngineRequest, now: float) -> float | None:
        """Give it a request.

        Returns:
            When the next results are due, if that has changed.

        Raises:
            RequestRefusedError: It can never serve it.
        """
        engine = self.engine
        if not self.event:
            engine.add(request)
            return self.begin(now)
        if self._advance is not None or engine.waiting or engine.running >= engine.max_num_seqs:
            engine.add(request)
            return None
        steps = engine.steps_to_pass(now - self._began)
        engine.add(request)
        if steps >= self._steps:
            return None
        self._steps = steps
        return self._began + engine.seconds_ahead(steps)

    def results(self) -> tuple[Mapping[str, int], tuple[str, ...]]:
        """What the steps brought that are due now: first tokens with what was cached, and those who have finished."""
        if self._advance is not None:
            return self._advance.started, self._advance.finished
        return _NOBODY, self.engine.decode(self._steps)


_NOBODY: Mapping[str, int] = {}


class RoutingTarget:
    """An engine as one router sees it, with a count of its own."""

    __slots__ = ("copy", "id", "in_flight")

    def __init__(self, copy: EngineCopy) -> None:
        self.copy = copy
        self.id = copy.id
        self.in_flight = 0


class Flight:
    """A request on its way through the fleet."""

    __slots__ = ("client", "copy", "decodes", "id", "index", "request", "target")

    def __init__(self, index: int, request: FleetRequest, client: int) -> None:
        self.index = index
        self.id = str(index)
        self.request = request
        self.client = client
        """The client that waits for the answer, in a closed loop."""
        self.target: RoutingTarget | None = None
        """What it was routed to; counts it until it is answered."""
        self.copy: EngineCopy | None = None
        """The engine that has it."""
        self.decodes = False
        """Whether it is with an engine that only decodes."""
