"""Schedules: a change, what goes wrong in the middle of it, and whether running it again puts it right."""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deploy.faults.jobs import Apply
from deploy.faults.neighbours import ENDPOINT
from deploy.faults.turns import InBetween, RandomOrder, Turns
from deploy.faults.weather import Killing, RandomWeather
from deploy.faults.world import CalmWeather, KilledError, World, new_world

from warmroute.errors import DeploymentError
from warmroute.local.control import fail_next_deployment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deploy.faults.jobs import Job
    from deploy.faults.transitions import Transition
    from deploy.faults.world import Call

ICE = "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity error."
ALARM = "Alarm high-latency went off"

MOST_RUNS = 3
"""Runs after the faults within which a change must be done; an update that was still on its way takes one."""

HOLD_SECONDS = 15.0
"""How long a process stands still at most while another one goes on."""

SETTLING_SECONDS = 60.0
"""Between two runs: what SageMaker has begun comes to its end."""


@dataclass
class Result:
    """What came of one schedule."""

    name: str
    injected: Counter[str] = field(default_factory=Counter)
    """Faults by kind."""

    violations: list[str] = field(default_factory=list)
    """Promises that were broken."""

    converged: bool = False
    runs: int = 0
    """Runs after the faults until the change was done."""

    end: str = ""
    """What every run came to."""

    calls: int = 0
    """API calls of the schedule."""

    @property
    def is_good(self) -> bool:
        """Whether nothing was broken, and running again came to the end."""
        return self.converged and not self.violations


def faulty(transition: Transition, seed: int) -> Result:
    """One change in random weather, and sometimes with a deployment that fails on its own."""
    chance = random.Random(seed)
    result = Result(f"{transition.name}, random faults, seed {seed}")
    with new_world() as world:
        job = _prepared(world, transition)
        if chance.random() < 0.3:
            _fail_deployment(chance, result)
        _under(world, result, _weather(chance, seed, world), lambda: job.run(world))
        _converge(world, job, result)
    return result


def killed_at_every_step(transition: Transition) -> Iterator[Result]:
    """One change for each of its API calls, ended just before that call in turn, and also after it took effect."""
    step, after_effect = 1, False
    while True:
        when = "after" if after_effect else "before"
        result = Result(f"{transition.name}, killed {when} call {step}")
        with new_world() as world:
            job = _prepared(world, transition)
            killing = Killing(step, after_effect=after_effect)
            world.weather = killing
            result.end = _attempt(lambda world=world, job=job: job.run(world))  # type: ignore[misc] # bound at once.
            world.weather = CalmWeather()
            if not killing.killed:
                return
            result.injected["killed"] += 1
            _converge(world, job, result)
        yield result
        twice = not (after_effect or killing.was_question)
        step, after_effect = (step, True) if twice else (step + 1, False)


def two_at_once(first: Transition, second: Job, seed: int) -> Result:
    """A change and a second process on the same endpoint, call by call in random turns, half of them with faults."""
    chance = random.Random(seed)
    result = Result(f"{first.name}, beside {type(second).__name__}, seed {seed}")
    with new_world() as world:
        job = _prepared(world, first)
        second.prepare(world)
        weather = _weather(chance, seed, world) if chance.random() < 0.5 else CalmWeather()
        order = RandomOrder(seed, head_start=chance.randrange(100), stay=chance.choice([0.0, 0.5, 0.9]))
        _together(world, Turns(order, weather=weather), (job, second), result)
        if isinstance(weather, RandomWeather):
            result.injected += weather.injected
        _converge(world, job, result)
    return result


def in_between(first: Transition, second: Callable[[], Job], positions: slice = slice(None)) -> Iterator[Result]:
    """A change, while which cleans up a second process comes in between and is held at one of its own changes.

    Wherever the first one is in its clean-up, the second makes its calls up to a change of its own; then the first goes
    on to its end, and the second after it. Of all pairs of a place and a change these are every second one. Nobody
    can help a process that stands still between its last look at what it deletes and the deletion for longer
    than others wait for that.

    Args:
        first: The change.
        second: Makes what the second process does.
        positions: Which of the places in the first one's clean-up.
    """
    alone, _ = _held(first, second, before=sys.maxsize, until=0)
    served = [call.operation for call in alone].index("UpdateEndpoint")
    cleaning = [call.operation for call in alone].index("ListEndpointConfigs", served)
    for before in range(cleaning, len(alone))[positions]:
        _, whole = _held(first, second, before=before, until=sys.maxsize)
        for until, call in enumerate(whole, 1):
            if not call.is_question and (before + until) % 2:
                name = f"{first.name}, between calls {before} and {before + 1} a second up to its call {until}"
                result = Result(f"{name} ({call.operation})")
                _held(first, second, before=before, until=until, result=result)
                yield result


def _held(
    first: Transition, second: Callable[[], Job], *, before: int, until: int, result: Result | None = None
) -> list[list[Call]]:
    """The calls of both, the second of which begins after some calls of the first and is held after some of its own."""
    result = result or Result("")
    with new_world() as world:
        job, other = _prepared(world, first), second()
        other.prepare(world)
        order = InBetween(before, until, now=world.clock.now, hold_seconds=HOLD_SECONDS)
        turns = Turns(order, weather=CalmWeather())
        _together(world, turns, (job, other), result)
        _converge(world, job, result)
    return turns.made


def _together(world: World, turns: Turns, jobs: tuple[Job, ...], result: Result) -> None:
    world.weather = turns
    ends: list[str] = []
    turns.together([lambda job=job: ends.append(_attempt(lambda: job.run(world))) for job in jobs])  # type: ignore[misc]
    world.weather = CalmWeather()
    result.end = " & ".join(ends)


def _prepared(world: World, transition: Transition) -> Job:
    for spec in transition.before:
        Apply(spec).run(world)
        world.clock.advance(SETTLING_SECONDS)
    job = transition.job()
    job.prepare(world)
    world.calls.clear()
    return job


def _weather(chance: random.Random, seed: int, world: World) -> RandomWeather:
    return RandomWeather(
        seed,
        rate=chance.choice([0.02, 0.05, 0.15, 0.4]),
        stale=chance.choice([0.0, 0.3, 0.9]),
        begins=chance.choice([0, 15, 25, 35]),
        most=chance.randint(1, 12),
        now=world.clock.now,
    )


def _fail_deployment(chance: random.Random, result: Result) -> None:
    reason = chance.choice([ICE, ALARM])
    fail_next_deployment(ENDPOINT, reason)
    result.injected["no capacity" if reason is ICE else "failed or rolled back by an alarm"] += 1


def _under(world: World, result: Result, weather: RandomWeather, run: Callable[[], Any]) -> None:
    world.weather = weather
    result.end = _attempt(run)
    world.weather = CalmWeather()
    result.injected += weather.injected


def _attempt(run: Callable[[], Any]) -> str:
    try:
        run()
    except DeploymentError as error:
        return str(error)
    except KilledError:
        return "killed"
    return "done"


def _converge(world: World, job: Job, result: Result) -> None:
    """Run again until it is done; one run is enough, unless what SageMaker had begun was still on its way."""
    while result.runs < MOST_RUNS and not result.converged:
        # A process that was killed is started again at once.
        if result.runs or result.end != "killed":
            world.clock.advance(SETTLING_SECONDS)
        _delete_failed(world)
        if not isinstance(job, Apply) and not job.unmet(world):
            result.converged = True
            break
        result.runs += 1
        end = _attempt(lambda: job.run(world))
        unmet = job.unmet(world)
        result.converged = end == "done" and not unmet
        result.end += f" | {end} {unmet}"
    result.violations += world.violations
    result.calls = sum(world.calls.values())


def _delete_failed(world: World) -> None:
    """What a person is told to do about an endpoint that could not be created."""
    endpoint = world.registry.endpoints.get(ENDPOINT)
    if endpoint is not None and endpoint.status == "Failed":
        world.session.client("sagemaker").delete_endpoint(EndpointName=ENDPOINT)
        world.clock.advance(SETTLING_SECONDS)
