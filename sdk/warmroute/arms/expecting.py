"""The cache hits that a run can have at most, and those that a simulation of its arm predicts, from what it sends."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import orjson

from warmroute.errors import WarmrouteError
from warmroute.fleet import EngineProfile
from warmroute.measure.telemetry import ExpectedHits
from warmroute.routing import RoutingConfig
from warmroute.traffic import TrafficRequest
from warmroute.traffic.bodies.prompts import Prompt, prompt_of
from warmroute.traffic.digest.make import digest_requests
from warmroute.traffic.digest.metadata import DigestMetadata
from warmroute.traffic.errors import BadEntryError
from warmroute.tune import simulate_trace, workload
from warmroute.tune.affinity import SharedTokens
from warmroute.tune.source import RecordedTraffic, open_trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.fleet import FleetConfig
    from warmroute.inference_api import Api
    from warmroute.measure.experiment import Arm
    from warmroute.measure.replay import Schedule
    from warmroute.tune import Trace


class Simulable(NamedTuple):
    """An arm as a simulation takes it."""

    fleet: FleetConfig
    """With the arm's routing."""

    api: Api
    speed: float = 1.0
    """How many times faster than real ones its engines run."""

    notes: tuple[str, ...] = ()
    """What was assumed of its engines."""


@runtime_checkable
class SimulableArm(Protocol):
    """An arm whose fleet may be known."""

    def simulable(self) -> Simulable:
        """Its fleet.

        Raises:
            WarmrouteError: It is not known, and why.
        """


class Expecting:
    """Expects the hits of runs; what was computed once for a schedule and an arm is kept.

    Args:
        seed: Of the simulations.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._kept: dict[tuple[str, str], ExpectedHits] = {}

    def __call__(self, arm: Arm, schedule: Schedule) -> ExpectedHits:
        """What a run of an arm can expect; where a figure is not known, why.

        Args:
            arm: The arm.
            schedule: What the run sends.
        """
        key = (schedule.sha256, arm.name)
        if key not in self._kept:
            self._kept[key] = self._expected(arm, schedule)
        return self._kept[key]

    def _expected(self, arm: Arm, schedule: Schedule) -> ExpectedHits:
        if not isinstance(arm, SimulableArm):
            return self._without_fleet(schedule, f"The fleet of {arm.name} is not known.")
        try:
            simulable = arm.simulable()
        except WarmrouteError as error:
            return self._without_fleet(schedule, f"The fleet of {arm.name} is not known: {error.message}")
        routing = simulable.fleet.routing or RoutingConfig.random()
        settings = routing.prefix_aware_routing_config
        try:
            with _sent(schedule, simulable.speed, settings.prefix_length if settings else None) as trace:
                ceiling = self._ceiling(trace, simulable.fleet.instances, simulable.fleet.profile)
                found = simulate_trace(trace, simulable.fleet, routing, api=simulable.api, seed=self._seed)
        except (WarmrouteError, OSError) as error:
            reason = _reason(error)
            return ExpectedHits(why_no_ceiling=reason, why_not_predicted=reason)
        basis = " ".join(dict.fromkeys((*simulable.notes, *found.notes, *found.cautions)))
        return ExpectedHits(ceiling=ceiling, predicted=found.expectation.hit_rate, basis=basis)

    def _without_fleet(self, schedule: Schedule, why: str) -> ExpectedHits:
        """The ceiling alone, which needs no routing."""
        try:
            with _sent(schedule, 1.0, None) as trace:
                return ExpectedHits(ceiling=self._ceiling(trace, 1, EngineProfile()), why_not_predicted=why)
        except (WarmrouteError, OSError) as error:
            return ExpectedHits(why_no_ceiling=_reason(error), why_not_predicted=why)

    def _ceiling(self, trace: Trace, instances: int, profile: EngineProfile) -> float:
        work = workload(trace.observed, instances=instances, profile=profile, seed=self._seed)
        return SharedTokens(work.requests, block_size=profile.block_size).hit_rate_without_affinity(1)


def _reason(error: WarmrouteError | OSError) -> str:
    """Why nothing was computed: a comparison does not end for this."""
    if isinstance(error, WarmrouteError):
        return error.message
    return f"What the run sends could not be kept for a simulation: {error.strerror or error}."


@contextmanager
def _sent(schedule: Schedule, speed: float, prefix_length: int | None) -> Iterator[Trace]:
    """What a run sends, as recorded traffic: with the bodies and at the times of the run."""
    ladder = DigestMetadata() if prefix_length is None else DigestMetadata(ladder=(prefix_length,))
    with tempfile.TemporaryDirectory(prefix="warmroute-") as folder:
        digest = Path(folder) / "sent.parquet"
        digest_requests(_requests(schedule, speed), digest, ladder)
        with open_trace(RecordedTraffic(paths=[str(digest)])) as trace:
            yield trace


def _requests(schedule: Schedule, speed: float) -> Iterator[TrafficRequest]:
    for planned in schedule:
        fields = orjson.loads(planned.body.data)
        try:
            prompt = prompt_of(fields)
        except BadEntryError:  # Tools without a canonical form: they are sent as they are, and shared by nobody here.
            prompt = Prompt(None, str(planned.number), planned.prefix_aware_id, "")
        at = planned.planned_seconds
        yield TrafficRequest(
            source="run",
            line=planned.number + 1,
            request_id=str(planned.number),
            arrival_seconds=None if at is None else at * speed,
            delay_seconds=planned.delay_seconds * speed if at is None else None,
            session=planned.session,
            body=planned.body.data,
            text=prompt.text,
            prompt_root=prompt.root + planned.body.salt,
            prefix_aware_id=planned.prefix_aware_id,
            adapter=prompt.adapter,
            input_tokens=planned.input_tokens,
            output_tokens=fields["max_tokens"],
        )
