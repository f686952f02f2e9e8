"""The bar that commands draw on a terminal: what goes on, how far it is, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def new_bar(*, stays: bool = False, redraws_itself: bool = True) -> Progress:
    """A bar that is not shown yet.

    Args:
        stays: It is left on the terminal at the end.
        redraws_itself: It is redrawn several times a second; otherwise only when an update asks for it.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, transient=not stays, auto_refresh=redraws_itself)
