"""Runs an experiment: what is not done of it yet, until enough pairs are valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.measure.experiment.folder import Finished, RunFolders
from warmroute.measure.experiment.manifest import begin, note_engine
from warmroute.measure.experiment.results import Results, refuse_odd_names, refuse_without_packages
from warmroute.measure.experiment.running import run_turns
from warmroute.measure.experiment.setup import Turn
from warmroute.measure.experiment.tables import write_results
from warmroute.measure.replay import Place
from warmroute.measure.telemetry import RunTelemetry
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from warmroute.measure.comparison import Comparison
    from warmroute.measure.experiment.setup import Setup
    from warmroute.measure.run import RunKey


class Experiment:
    """A comparison in a folder, begun or continued.

    Args:
        folder: Where everything is recorded.
        setup: What it is made of.
        manifest: From ``manifest``; a folder that was begun has to have the same.
        notes: What a reader of the results has to know.

    Raises:
        WarmrouteError: The arms cannot be told apart; the folder is another experiment's; a package is missing.
    """

    def __init__(
        self, folder: Path, setup: Setup, manifest: Mapping[str, object], *, notes: Sequence[str] = ()
    ) -> None:
        self._names = [arm.name for arm in setup.arms]
        refuse_without_packages()
        refuse_odd_names(self._names)
        self._folder, self._folders, self._setup = folder, RunFolders(folder), setup
        self._design, self._criteria, self._notes = setup.design, setup.criteria, list(notes)
        self._manifest = begin(folder, manifest)
        self._results = Results(self._folders, self._names, setup.design, setup.criteria)
        self._finished = {run.key: run for run in self._folders.finished()}
        self._telemetry: dict[RunKey, RunTelemetry] = {}

    @property
    def finished(self) -> int:
        """Runs that are over."""
        return len(self._finished)

    @property
    def configurations(self) -> frozenset[str]:
        """ARNs of the configurations that the endpoints of its runs had."""
        return frozenset(run.endpoint_config_arn for run in self._finished.values())

    def run(self) -> Comparison:
        """Run what is not done yet, and judge.

        Raises:
            WarmrouteError: An arm cannot be made ready or reached, or the disk is full; what is done stays, and the
                same experiment continues it. Another process is running it.
            KeyboardInterrupt: Ctrl-C stopped it; what is done stays.
        """
        with self._folders.held():
            return self._run()

    def _run(self) -> Comparison:
        first = self._run_noise()
        noise = self._results.noise(self._runs())
        if self._design.aa_pairs and noise is None and self._design.pairs is None:
            self._notes.append("The A/A runs do not tell the noise, so the arms were not compared.")
        else:
            needed = None if noise is None else noise.pairs_needed
            pairs = self._design.pairs_for(needed, self._criteria, noise_is_known=noise is not None)
            self._note_pairs(needed, pairs, noise_is_known=noise is not None)
            self._run_pairs(first, pairs)
        comparison = self._results.comparison(self._manifest, self._notes, self._all_telemetry())
        write_results(self._folder, comparison)
        return comparison

    def _run_noise(self) -> int:
        """Run the baseline alone.

        Returns:
            The number of the first pair behind.
        """
        wanted, number = self._design.aa_pairs, 0
        while True:
            valid = _both_valid(run for run in self._runs() if run.is_noise and run.pair < number)
            if valid >= wanted or number >= wanted + self._design.replacements:
                return number
            places = [Place(self._names[0], number, position) for position in (0, 1)]
            turns = [Turn(place, is_noise=True, pairs=wanted, valid=valid) for place in places]
            self._run_pair(turns, seed=self._design.seed, swapped=False)
            number += 1

    def _run_pairs(self, first: int, pairs: int) -> None:
        index = 0
        while (valid := self._results.valid_pairs(self._runs())) < pairs:
            hopeless = not valid and index > self._design.replacements
            if hopeless or index == pairs + self._design.replacements:
                self._notes.append(f"{pairs - valid} of {pairs} pairs are lacking, since too many runs were invalid.")
                return
            order = self._design.order(self._names, index)
            places = [Place(arm, first + index, position) for position, arm in enumerate(order)]
            turns = [Turn(place, is_noise=False, pairs=pairs, valid=valid, number=index) for place in places]
            swapped = self._design.is_swapped(index, pairs)
            self._run_pair(turns, seed=self._design.seed + first + index, swapped=swapped)
            index += 1

    def _run_pair(self, turns: Sequence[Turn], *, seed: int, swapped: bool) -> None:
        """Run a pair from its beginning, unless it is done: its runs belong together in time."""
        keys = [_key(turn.place) for turn in turns]
        done = [self._finished[key] for key in keys if key in self._finished]
        if len(done) == len(turns) or self._is_hopeless(done):
            return
        self._folders.set_aside(turns[0].place.pair)
        for key in keys:
            self._finished.pop(key, None)
        at_once = self._design.simultaneous and not turns[0].is_noise
        over: list[Finished] = []
        for together in [turns] if at_once else [[turn] for turn in turns]:
            if self._is_hopeless(over):
                return
            for turn in together:
                self._setup.hooks.on_turn(turn)
            for run, telemetry in run_turns(
                together, self._setup, self._folders, self._runs(), seed=seed, swapped=swapped
            ):
                self._finished[run.key] = run
                self._setup.hooks.on_run(run, self._folders.path(run.place))
                self._manifest = note_engine(self._folder, self._manifest, run.arm, run.engine)
                over.append(run)
                if telemetry is not None:
                    self._telemetry[run.key] = telemetry

    def _is_hopeless(self, over: Sequence[Finished]) -> bool:
        """Whether no two arms of a pair can be compared any more."""
        invalid = {run.arm for run in over if not run.valid}
        return self._names[0] in invalid or len(invalid) == len(self._names) - 1

    def _note_pairs(self, needed: int | None, pairs: int, *, noise_is_known: bool) -> None:
        gain = f"a gain of {self._design.gain:.0%}"
        if noise_is_known and (needed is None or needed > pairs):
            demanded = "more pairs than anybody runs" if needed is None else counted(needed, "pair")
            self._notes.append(f"The noise demands {demanded} to show {gain}; {pairs} are run.")
        if pairs < self._criteria.minimum_pairs:
            self._notes.append(f"Fewer than {self._criteria.minimum_pairs} pairs give figures, and no verdict.")

    def _runs(self) -> list[Finished]:
        return list(self._finished.values())

    def _all_telemetry(self) -> dict[RunKey, RunTelemetry]:
        """What was observed, of runs of this command and of earlier ones."""
        found = dict(self._telemetry)
        for key, run in self._finished.items():
            written = None if key in found else self._folders.telemetry(run)
            if written is not None:
                found[key] = RunTelemetry.from_json(written)
        return found


def _key(place: Place) -> RunKey:
    return place.pair, place.position, place.arm


def _both_valid(runs: Iterable[Finished]) -> int:
    """Pairs of A/A whose two runs are valid."""
    valid = [run.pair for run in runs if run.valid]
    return sum(valid.count(pair) == 2 for pair in set(valid))
