"""How far a comparison is: a line for each run; on a terminal one that is brought up to date."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from warmroute.cli.bar import new_bar
from warmroute.cli.output import can_redraw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warmroute.measure.experiment import Turn
    from warmroute.measure.replay import Progress


@contextmanager
def runs_shown(*, quiet: bool) -> Iterator[tuple[Callable[[Turn], None], Callable[[Progress], None] | None]]:
    """What to call when a run begins, and as it goes on.

    Args:
        quiet: Show nothing.
    """
    if quiet:
        yield lambda _: None, None
        return
    if not can_redraw():
        yield lambda turn: typer.echo(f"- {_words(turn)}"), None
        return
    with new_bar() as bar:
        task = bar.add_task("", total=None)

        def begin(turn: Turn) -> None:
            bar.reset(task, description=_words(turn))

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.ended, total=progress.total)

        yield begin, show


def _words(turn: Turn) -> str:
    kind = "A/A pair" if turn.is_noise else "pair"
    return f"{kind} {turn.valid + 1} of {turn.pairs}, run {turn.place.position + 1}: {turn.place.arm}"
