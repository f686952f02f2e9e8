"""A fleet in virtual time: requests arrive, are routed, computed and answered, as fast as this machine can tell."""

from __future__ import annotations

import random
from heapq import heappop, heappush
from itertools import chain
from math import nan
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.fleet.config import AddInstances, RemoveInstances
from warmroute.fleet.engine import RequestRefusedError
from warmroute.fleet.engine_copy import EngineCopy, Flight
from warmroute.fleet.front_end import FrontEnds
from warmroute.fleet.prompt import Prompt
from warmroute.fleet.result import SimulationResult
from warmroute.fleet.sequence import EngineRequest
from warmroute.fleet.workload import ClosedLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from warmroute.fleet.config import Change, FleetConfig, LoseInstance
    from warmroute.fleet.workload import FleetRequest


def simulate(requests: Iterable[FleetRequest] | ClosedLoop, config: FleetConfig, *, seed: int = 0) -> SimulationResult:
    """Serve requests with a fleet, in virtual time, until all are answered.

    Args:
        requests: Open loop: requests in order of arrival, read one at a time. Closed loop: clients that ask.
        config: The fleet.
        seed: Of every chance: the strategies', the clients' time to think. The same seed gives the same bytes.

    Raises:
        WarmrouteError: Requests out of order, or no instance left to serve them.
    """
    simulation = _Simulation(config, seed)
    if isinstance(requests, ClosedLoop):
        simulation.run_clients(requests)
    else:
        simulation.run_arrivals(iter(requests))
    return simulation.result


class _Simulation:
    """The events of one run, each at its time: ``(seconds, number, what happens, to what)``."""

    def __init__(self, config: FleetConfig, seed: int) -> None:
        self._config = config
        self._request_seconds = config.profile.cost_model.request_seconds
        self._seconds_per_transferred_token = config.profile.cost_model.seconds_per_transferred_token
        self._chance = random.Random(seed)  # noqa: S311 - a repeatable sequence, not a secret one.
        self.result = SimulationResult()
        self._events: list[tuple[float, int, Callable[..., None], EngineCopy | Flight | Change | int]] = []
        self._number = 0
        self._front_ends = FrontEnds(config, seed)
        self._instances: list[list[EngineCopy]] = []
        self._in_service: list[int] = []
        self._to_come = 0
        """Instances that will be added."""
        self._decoders = [EngineCopy(-1, number, config.profile.engine()) for number in range(config.decode_instances)]
        self._waiting_clients: Callable[[float, int], None] | None = None
        self._put_in_service(config.instances)
        for change in config.changes:
            self._plan(change)

    def run_arrivals(self, requests: Iterator[FleetRequest]) -> None:
        """Serve requests that arrive whether or not others are answered."""
        events = self._events
        request = next(requests, None)
        while request is not None:
            at = request[0]
            while events and events[0][0] < at:
                now, number, action, subject = heappop(events)
                action(now, number, subject)
            self._arrive(at, request, -1)
            request = next(requests, None)
            if request is not None and not request[0] >= at:
                raise WarmrouteError(
                    f"Request {len(self.result)} arrives at {request[0]} s, after one at {at} s.",
                    "Sort the requests by arrival_seconds.",
                )
        self._run_events()

    def run_clients(self, loop: ClosedLoop) -> None:
        """Serve clients that ask one request after the other."""
        sessions = (iter(session) for session in loop.sessions)
        current: list[Iterator[FleetRequest]] = [iter(()) for _ in range(loop.clients)]

        def ask(now: float, _: int, client: int) -> None:
            if now >= loop.duration_seconds:
                return
            request = next(current[client], None)
            while request is None:
                session = next(sessions, None)
                if session is None:
                    return
                current[client] = session
                request = next(session, None)
            self._arrive(now, request, client)

        def think(now: float, client: int) -> None:
            pause = self._chance.expovariate(1 / loop.think_seconds) if loop.think_seconds else 0.0
            self._at(now + pause, ask, client)

        self._waiting_clients = think
        for client in range(loop.clients):
            think(0.0, client)
        self._run_events()

    def _run_events(self) -> None:
        events = self._events
        while events:
            now, number, action, subject = heappop(events)
            action(now, number, subject)

    def _at(self, seconds: float, action: Callable[..., None], subject: EngineCopy | Flight | Change | int) -> int:
        self._number += 1
        heappush(self._events, (seconds, self._number, action, subject))
        return self._number

    def _arrive(self, now: float, request: FleetRequest, client: int) -> None:
        self._route(now, 0, Flight(self.result.add(), now, request, client))

    def _route(self, now: float, _: int, flight: Flight) -> None:
        choice = self._front_ends.choose(flight.request)
        if choice is None:
            if not self._in_service and not self._to_come:
                raise WarmrouteError(
                    f"No instance is left at {now:.1f} s, and requests are.", "Add instances, or lose and remove fewer."
                )
            if self._in_service and not self._to_come:
                raise WarmrouteError(
                    f"No instance in service has the adapter {flight.request.adapter}.", "Give it one in adapters."
                )
            self._at(now + self._config.retry_seconds, self._route, flight)
            return
        target = choice.target
        target.in_flight += 1
        flight.target, flight.copy = target, target.copy
        flight.instance, flight.overflowed = target.copy.instance, choice.overflowed
        self._at(now + self._request_seconds, self._deliver, flight)

    def _deliver(self, now: float, _: int, flight: Flight) -> None:
        copy = flight.copy
        if copy is None or copy.lost:
            self._retry(now, flight)
            return
        try:
            due = copy.add(flight, self._engine_request(flight), now)
        except RequestRefusedError:
            self._answered(now, flight, nan)
            return
        if due is not None:
            copy.event = self._at(due, self._complete, copy)

    def _engine_request(self, flight: Flight) -> EngineRequest[Flight]:
        request = flight.request
        if not self._decoders:
            return EngineRequest(flight, request.prompt, request.output_tokens)
        if not flight.decodes:
            return EngineRequest(flight, request.prompt, min(request.output_tokens, 1))
        prompt = request.prompt
        # The first token of the answer is out, and the last of what the engine has yet to compute.
        longer = Prompt(prompt.tokens + 1, prompt.segments, prompt.ends)
        return EngineRequest(flight, longer, request.output_tokens - 1, prompt.tokens)

    def _complete(self, now: float, number: int, copy: EngineCopy) -> None:
        """Let go what an engine's steps have finished, and begin the next."""
        if number != copy.event:
            return
        for flight in copy.results():
            if self._decoders and not flight.decodes and flight.request.output_tokens > 1:
                self._hand_over(now, flight)
            else:
                self._answered(now, flight, now - flight.arrival_seconds)
        due = copy.begin(now)
        copy.event = 0 if due is None else self._at(due, self._complete, copy)

    def _hand_over(self, now: float, flight: Flight) -> None:
        """Send a computed prompt to the engine that decodes the fewest."""
        self._forget(flight)
        flight.decodes = True
        flight.copy = min(self._decoders, key=lambda copy: copy.expected)
        flight.copy.expected += 1
        transfer = flight.request.prompt.tokens * self._seconds_per_transferred_token
        self._at(now + transfer, self._deliver, flight)

    def _answered(self, now: float, flight: Flight, e2e_seconds: float) -> None:
        self.result[flight.index] = flight.record(e2e_seconds)
        if flight.decodes and flight.copy is not None:
            flight.copy.expected -= 1
        self._forget(flight)
        if self._waiting_clients is not None:
            self._waiting_clients(now, flight.client)

    def _forget(self, flight: Flight) -> None:
        if flight.target is not None:
            flight.target.in_flight -= 1
            flight.target = None

    def _retry(self, now: float, flight: Flight) -> None:
        self._forget(flight)
        flight.retried, flight.ttft_seconds = True, nan
        self._at(now + self._config.retry_seconds, self._route, flight)

    def _plan(self, change: Change) -> None:
        if isinstance(change, AddInstances):
            self._to_come += change.count
            self._at(change.at_seconds + change.warm_up_seconds, self._add_instances, change)
        elif isinstance(change, RemoveInstances):
            self._at(change.at_seconds, self._remove_instances, change)
        else:
            self._at(change.at_seconds, self._lose_instance, change)

    def _put_in_service(self, count: int) -> None:
        for _ in range(count):
            instance = len(self._instances)
            copies = [
                EngineCopy(instance, number, self._config.profile.engine())
                for number in range(self._config.copies_per_instance)
            ]
            self._instances.append(copies)
            self._in_service.append(instance)
        self._tell_front_ends()

    def _tell_front_ends(self) -> None:
        self._front_ends.put_in_service(
            list(chain.from_iterable(self._instances[instance] for instance in self._in_service))
        )

    def _add_instances(self, _: float, __: int, change: AddInstances) -> None:
        self._to_come -= change.count
        self._put_in_service(change.count)

    def _remove_instances(self, _: float, __: int, change: RemoveInstances) -> None:
        del self._in_service[-change.count :]
        self._tell_front_ends()

    def _lose_instance(self, now: float, _: int, change: LoseInstance) -> None:
        if change.instance >= len(self._instances):
            raise WarmrouteError(
                f"Instance {change.instance} is lost at {change.at_seconds} s, and there is none.",
                f"The instances are 0 to {len(self._instances) - 1}.",
            )
        for copy in self._instances[change.instance]:
            copy.lost, copy.event = True, 0
            flights, copy.flights = copy.flights, {}
            for flight in flights:
                self._retry(now, flight)
        self._at(now + change.unnoticed_seconds, self._notice_loss, change.instance)

    def _notice_loss(self, _: float, __: int, instance: int) -> None:
        if instance in self._in_service:
            self._in_service.remove(instance)
            self._tell_front_ends()
