"""One run of an arm: made ready, looked at before and after, and recorded."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.measure.experiment.folder import Finished, RunFolders
from warmroute.measure.experiment.serving import scaling_windows, too_little_is_steady
from warmroute.measure.run import Window, WindowKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from warmroute.measure.experiment.arms import Arm, EndpointState, Served
    from warmroute.measure.experiment.design import Design
    from warmroute.measure.experiment.serving import Sample, Watch
    from warmroute.measure.experiment.setup import Setup, Turn
    from warmroute.measure.replay import Replayed
    from warmroute.measure.telemetry import Observer, RunTelemetry


def run_turn(
    turn: Turn, setup: Setup, folders: RunFolders, earlier: Iterable[Finished], *, seed: int, swapped: bool
) -> tuple[Finished, RunTelemetry | None]:
    """Run one arm once.

    Args:
        turn: Which arm, and where its run stands.
        setup: The experiment.
        folders: Where the run is recorded.
        earlier: Runs that are over.
        seed: Of what is sent; that of all runs of a pair.
        swapped: Whether the machines of the arms have changed roles.

    Raises:
        WarmrouteError: The arm cannot be made ready or reached, or has another configuration than in earlier runs; the
            run cannot be recorded.
    """
    place = turn.place
    arm = next(arm for arm in setup.arms if arm.name == place.arm)
    schedule = setup.schedules(seed, chat_only=arm.chat_only)
    with arm.serve(swapped=swapped) as served:
        before = served.look()
        _refuse_another_configuration(arm, before, earlier)
        with _observed(setup.hooks.observe(arm, served)) as observed, _watched(served.watch) as samples:
            replayed = setup.replay(served, schedule, folders.path(place), place)
        telemetry = observed[0] if observed else None
        changes = _changes(before, served)
    run = _finished(turn, replayed, before, served.fleet, samples, setup.design, changes)
    folders.finish(run, telemetry.to_json() if telemetry is not None else None)
    return run, telemetry


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
    finally:
        seen += watch.end()


def _finished(
    turn: Turn,
    replayed: Replayed,
    state: EndpointState,
    fleet: str,
    samples: Sequence[Sample],
    design: Design,
    changes: Sequence[str],
) -> Finished:
    summary, duration = replayed.summary, replayed.duration_seconds
    cold = (Window(WindowKind.COLD, 0.0, design.warm_up_seconds),) if design.warm_up_seconds else ()
    scaling = scaling_windows(samples, replayed.started.timestamp(), design.settle_seconds)
    unsteady = too_little_is_steady(scaling, duration, design.settle_seconds)
    return Finished(
        **turn.place._asdict(),
        is_noise=turn.is_noise,
        started=replayed.started,
        duration_seconds=duration,
        endpoint_arn=state.endpoint_arn,
        endpoint_config_arn=state.endpoint_config_arn,
        fleet=fleet,
        instances=samples[0].serving.count if samples else None,
        windows=(*cold, *scaling),
        problems=(*summary.problems, *changes, *([unsteady] if unsteady else [])),
        planned=summary.planned,
        answered=summary.answered,
        errors=summary.errors,
    )


def _refuse_another_configuration(arm: Arm, state: EndpointState, earlier: Iterable[Finished]) -> None:
    for run in earlier:
        if arm.is_fixed and run.arm == arm.name and run.endpoint_config_arn != state.endpoint_config_arn:
            raise WarmrouteError(
                f"Arm {arm.name}: its endpoint has the configuration {state.endpoint_config_arn}, and had "
                f"{run.endpoint_config_arn} in pair {run.pair}.",
                "Go back to that configuration to continue, or begin a new comparison in another folder.",
            )


def _changes(before: EndpointState, served: Served) -> list[str]:
    """What happened to an endpoint during a run that makes it invalid."""
    try:
        after = served.look()
    except WarmrouteError as error:
        return [f"After the run the endpoint did not serve, or could not be asked: {error.message}"]
    if after == before:
        return []
    old, new = before.endpoint_config_arn, after.endpoint_config_arn
    return [f"The configuration of the endpoint changed during the run: from {old} to {new}."]
