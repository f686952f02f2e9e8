"""How far a comparison is, run by run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import typer

from warmroute.cli.bar import new_bar
from warmroute.cli.compare_text import left_out
from warmroute.cli.output import can_redraw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from warmroute.measure.experiment import Turn
    from warmroute.measure.experiment.folder import Finished
    from warmroute.measure.replay import Progress


class Shown(NamedTuple):
    """What to call as a comparison goes on."""

    on_turn: Callable[[Turn], None]
    """When a run begins."""

    on_run: Callable[[Finished, Path], None]
    """When it has ended, with its folder."""

    on_progress: Callable[[Progress], None] | None
    """While it is on; None where nobody looks."""


@contextmanager
def runs_shown(*, quiet: bool) -> Iterator[Shown]:
    """A line for each run, on a terminal one that is brought up to date; and at once why a run is left out.

    Args:
        quiet: Show nothing.
    """
    if quiet:
        yield Shown(lambda _: None, lambda _run, _folder: None, None)
        return
    if not can_redraw():
        yield Shown(lambda turn: typer.echo(f"- {_words(turn)}"), _tell, None)
        return
    with new_bar() as bar:
        task = bar.add_task("", total=None)

        def begin(turn: Turn) -> None:
            bar.reset(task, description=_words(turn))

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.ended, total=progress.total)

        yield Shown(begin, _tell, show)


def _tell(run: Finished, folder: Path) -> None:
    if run.problems:
        typer.echo(f"  {left_out(folder, run.problems)}")


def _words(turn: Turn) -> str:
    kind = "A/A pair" if turn.is_noise else "pair"
    return f"{kind} {turn.valid + 1} of {turn.pairs}, run {turn.place.position + 1}: {turn.place.arm}"
