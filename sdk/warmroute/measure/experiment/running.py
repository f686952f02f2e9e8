"""Runs of arms, one or several at a time: made ready, looked at before and after, and recorded."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from warmroute.errors import WarmrouteError
from warmroute.measure.experiment.folder import Finished, RunFolders
from warmroute.measure.experiment.serving import scaling_windows, too_little_is_steady
from warmroute.measure.experiment.setup import Replay
from warmroute.measure.run import Window, WindowKind
from warmroute.measure.telemetry import nothing_counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from warmroute.measure.experiment.arms import Arm, EndpointState, Served
    from warmroute.measure.experiment.design import Design
    from warmroute.measure.experiment.serving import Sample, Watch
    from warmroute.measure.experiment.setup import Setup, Turn
    from warmroute.measure.replay import Replayed, Schedule
    from warmroute.measure.telemetry import ExpectedHits, Observer, RunTelemetry


def run_turns(
    turns: Sequence[Turn], setup: Setup, folders: RunFolders, earlier: Sequence[Finished], *, seed: int, swapped: bool
) -> list[tuple[Finished, RunTelemetry | None]]:
    """Run arms once, all at the same time; one alone as a rule.

    Args:
        turns: Which arms, and where their runs stand.
        setup: The experiment.
        folders: Where the runs are recorded.
        earlier: Runs that are over.
        seed: Of what is sent; that of all runs of a pair.
        swapped: Whether the machines of the arms have changed roles.

    Raises:
        WarmrouteError: An arm cannot be made ready or reached, or has another configuration than in earlier runs; a
            run cannot be recorded.
    """
    ready = []
    with ExitStack() as serving:
        for turn in turns:
            arm = next(arm for arm in setup.arms if arm.name == turn.place.arm)
            schedule = setup.schedules(seed, chat_only=arm.chat_only, turn=turn.number)
            expected = setup.hooks.expect(arm, schedule)
            served = serving.enter_context(arm.serve(swapped=swapped))
            ready.append(_Ready(turn, arm, schedule, expected, served, served.look()))
            _refuse_another_configuration(arm, ready[-1].before, earlier)
        with ExitStack() as watching:
            observed = [watching.enter_context(_observed(setup.hooks.observe(one.arm, one.served))) for one in ready]
            samples = [watching.enter_context(_watched(one.served.watch)) for one in ready]
            replayed = setup.replay(
                [Replay(one.served, one.schedule, folders.path(one.turn.place), one.turn.place) for one in ready]
            )
        changes = [_changes(one.before, one.served) for one in ready]
    found = []
    for one, seen, sampled, result, changed in zip(ready, observed, samples, replayed, changes, strict=True):
        telemetry = _telemetry(seen, one.expected, result)
        run = _finished(one, result, sampled, setup.design, changed)
        folders.finish(run, telemetry.to_json() if telemetry is not None else None)
        found.append((run, telemetry))
    return found


class _Ready(NamedTuple):
    """A run that is about to begin."""

    turn: Turn
    arm: Arm
    schedule: Schedule
    expected: ExpectedHits | None
    served: Served
    before: EndpointState


@contextmanager
def _observed(observer: Observer | None) -> Iterator[list[RunTelemetry]]:
    """What an observer tells of the time in between, once that is over; nothing without one."""
    seen: list[RunTelemetry] = []
    if observer is None:
        yield seen
        return
    observer.begin()
    try:
        yield seen
    except BaseException:
        observer.give_up()
        raise
    seen.append(observer.end())


def _telemetry(
    observed: Sequence[RunTelemetry], expected: ExpectedHits | None, replayed: Replayed
) -> RunTelemetry | None:
    """What was counted, and what was expected; None where there is neither."""
    counted = observed[0] if observed else None
    if expected is None:
        return counted
    if counted is None:
        ended = replayed.started + timedelta(seconds=replayed.duration_seconds)
        counted = nothing_counted(replayed.started, ended, "Nothing was observed beside the run.")
    return expected.added_to(counted)


@contextmanager
def _watched(watch: Watch | None) -> Iterator[list[Sample]]:
    """What served in between, once that is over; nothing where nobody tells."""
    seen: list[Sample] = []
    if watch is None:
        yield seen
        return
    watch.begin()
    try:
        yield seen
    except BaseException:
        watch.give_up()
        raise
    seen += watch.end()


def _finished(
    ready: _Ready, replayed: Replayed, samples: Sequence[Sample], design: Design, changes: Sequence[str]
) -> Finished:
    summary, duration = replayed.summary, replayed.duration_seconds
    cold = (Window(WindowKind.COLD, 0.0, design.warm_up_seconds),) if design.warm_up_seconds else ()
    scaling = scaling_windows(samples, replayed.started.timestamp(), design.settle_seconds)
    unsteady = too_little_is_steady(scaling, duration, design.settle_seconds)
    return Finished(
        **ready.turn.place._asdict(),
        is_noise=ready.turn.is_noise,
        part=ready.schedule.part,
        started=replayed.started,
        duration_seconds=duration,
        endpoint_arn=ready.before.endpoint_arn,
        endpoint_config_arn=ready.before.endpoint_config_arn,
        engine=ready.before.engine,
        fleet=ready.served.fleet,
        instances=samples[0].serving.count if samples else None,
        windows=(*cold, *scaling),
        problems=(*summary.problems, *changes, *([unsteady] if unsteady else [])),
        planned=summary.planned,
        answered=summary.answered,
        errors=summary.errors,
    )


def _refuse_another_configuration(arm: Arm, state: EndpointState, earlier: Iterable[Finished]) -> None:
    for run in (run for run in earlier if run.arm == arm.name):
        if arm.is_fixed and run.endpoint_config_arn != state.endpoint_config_arn:
            raise WarmrouteError(
                f"Arm {arm.name}: its endpoint has the configuration {state.endpoint_config_arn}, and had "
                f"{run.endpoint_config_arn} in pair {run.pair}.",
                "Go back to that configuration to continue, or begin a new comparison in another folder.",
            )
        if run.engine and state.engine and run.engine != state.engine:
            raise WarmrouteError(
                f"Arm {arm.name}: its engine is {state.engine}, and was {run.engine} in pair {run.pair}.",
                "Go back to that engine to continue, or begin a new comparison in another folder.",
            )


def _changes(before: EndpointState, served: Served) -> list[str]:
    """What happened to an endpoint during a run that makes it invalid."""
    try:
        after = served.look()
    except WarmrouteError as error:
        return [f"After the run the endpoint did not serve, or could not be asked: {error.message}"]
    looked_at = {
        "The endpoint": (before.endpoint_arn, after.endpoint_arn),
        "The configuration of the endpoint": (before.endpoint_config_arn, after.endpoint_config_arn),
        "The engine": (before.engine, after.engine),
    }
    return [
        f"{what} changed during the run: from {old} to {new}."
        for what, (old, new) in looked_at.items()
        if old and new and old != new
    ]
