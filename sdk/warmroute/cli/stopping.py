"""Ctrl-C: one line and exit code 130, wherever it meets a command."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup


class StoppedError(Exception):
    """Ctrl-C ended a command.

    Args:
        hint: What goes on all the same, and what to do about it; empty where nothing does.
    """

    def __init__(self, hint: str = "") -> None:
        super().__init__(f"Stopped. {hint}".strip())


class StoppableGroup(TyperGroup):
    """Commands that end in one line; typer itself would end them without a word."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command.

        Raises:
            StoppedError: Ctrl-C ended it.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise StoppedError from None
        except typer.Abort as abort:  # A question makes one of Ctrl-C too; one of a "no" has no cause.
            if isinstance(abort.__context__, KeyboardInterrupt):
                raise StoppedError from None
            raise
