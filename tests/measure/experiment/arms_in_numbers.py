"""Arms whose latencies are drawn from a known distribution, so that a whole experiment takes a moment."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from warmroute.errors import WarmrouteError
from warmroute.measure.criteria import Criteria
from warmroute.measure.experiment import Design, EndpointState, Experiment, Hooks, Served, Setup, manifest
from warmroute.measure.replay import Replayed, Schedule
from warmroute.measure.replay.bodies import Body
from warmroute.measure.replay.journal import Journal
from warmroute.measure.replay.planning import Planned
from warmroute.measure.replay.summary import Tally
from warmroute.measure.run import ReplayedRequest

ENDPOINT = "arn:aws:sagemaker:us-east-1:111122223333:endpoint/bot"
CONFIG = "arn:aws:sagemaker:us-east-1:111122223333:endpoint-config/bot"


@dataclass
class NumbersArm:
    """One arm; ``scale`` is its median time to first token, in seconds."""

    name: str
    scale: float = 1.0
    fleet: str = ""
    configs: list[str] = field(default_factory=list)
    """What the control plane says at each look, the last one from then on; an empty text is a refusal."""

    error: str | None = None
    chat_only = True
    is_fixed = True
    machines = "bot"
    instances = 7
    served = 0

    def describe(self):
        return {"scale": self.scale}

    @contextmanager
    def serve(self, *, swapped):
        self.served += 1
        yield Served(
            target=None,
            look=self._look,
            session=None,
            endpoint_name=self.name,
            fleet=self.fleet and self.fleet + "-swapped" * swapped,
            watch=self.watch(),
        )

    def watch(self):
        """What looks at the instances; nobody tells."""

    def _look(self):
        config = self.configs.pop(0) if len(self.configs) > 1 else (self.configs or [self.name])[0]
        if not config:
            raise WarmrouteError("Endpoint bot does not serve: it is Failed.")
        return EndpointState(ENDPOINT, f"{CONFIG}-{config}")


@dataclass
class Clockwork:
    """Replays in no time: a run is a minute of a clock that only it moves.

    The time of a request is its arm's scale, times what the request itself costs in every run of a pair, times luck;
    and each run as a whole is a little faster or slower.
    """

    arms: list[NumbersArm]
    seed: int = 0
    run_deviation: float = 0.03
    requests: int = 200
    parts: int = 1
    """Of the trace."""

    problems: dict[int, str] = field(default_factory=dict)
    """For the number of a replay, from 0: why it is invalid."""

    stops: dict[int, BaseException] = field(default_factory=dict)
    """For the number of a replay: what ends it half-way."""

    count: int = 0
    done: list[tuple[int, int, str]] = field(default_factory=list)

    at_once: list[int] = field(default_factory=list)
    """How many runs each call was given."""

    def replay(self, runs):
        self.at_once.append(len(runs))
        return [self._replay(*run) for run in runs]

    def _replay(self, served, schedule, folder, place):
        number = self.count
        self.count += 1
        arm = next(arm for arm in self.arms if arm.name == place.arm)
        luck = random.Random(f"{self.seed}/{place}")
        speed = luck.lognormvariate(0, self.run_deviation)
        journal, tally = Journal(folder), Tally()
        for request in schedule:
            if number in self.stops and request.number == self.requests // 2:
                journal.close()
                raise self.stops[number]
            own = random.Random(f"{self.seed}/{place.pair}/{request.number}").lognormvariate(0, 0.5)
            ttft = arm.scale * speed * own * luck.lognormvariate(0, 0.1)
            row = ReplayedRequest(
                **place._asdict(),
                index=request.number,
                segment=request.segment,
                planned_seconds=float(request.number),
                sent_seconds=float(request.number),
                ttft_seconds=ttft,
                e2e_seconds=2 * ttft,
                inter_token_seconds=ttft / 100,
                input_tokens=1_000,
                output_tokens=100,
                cached_tokens=0,
                instance=f"i-{request.number % 4}",
            )
            if arm.error:
                worst = {name: float("inf") for name in ("ttft_seconds", "e2e_seconds", "inter_token_seconds")}
                row = replace(row, error=arm.error, output_tokens=None, instance=None, **worst)
            tally.add(row)
            journal.write(row)
        why = (self.problems[number],) if number in self.problems else ()
        started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
        self.done.append((place.pair, place.position, place.arm))
        return Replayed(started, 400.0, journal.close(), replace(tally.summary(), problems=why))


def schedules(requests, parts=1):
    def make(seed, *, chat_only, turn=0):
        body = Body(b"{}", "")
        segments = ("acme", "globex", "initech")
        planned = (
            Planned(number, float(number), 0.0, "", "", 9, body, segments[number % 20 % 3])
            for number in range(requests)
        )
        return Schedule(planned, part=turn % parts)

    return make


def experiment(folder, clockwork, *, hooks=None, design=None, criteria=None, looks=1, **options):
    design = Design(**{"aa_pairs": 3, "pairs": 5} | (design or {}))
    criteria = criteria or Criteria()
    setup = Setup(
        arms=clockwork.arms,
        design=design,
        criteria=criteria,
        schedules=schedules(clockwork.requests, clockwork.parts),
        replay=clockwork.replay,
        hooks=hooks or Hooks(),
    )
    wanted = manifest(
        clockwork.arms,
        clockwork.arms[0].name,
        design,
        criteria,
        trace={"names": ["trace.jsonl"], "requests_sha256": "0" * 64},
        options={"speed": 1.0, **options},
        looks=looks,
    )
    return Experiment(folder, setup, wanted)
