"""What all commands have in common: how they end on Ctrl-C, and how a mistaken option is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import typer
from typer.core import TyperGroup

from warmroute.cli.commands import COMMANDS, Commands
from warmroute.cli.stopping import StoppedError

if TYPE_CHECKING:
    from collections.abc import MutableMapping


class CommandGroup(TyperGroup):
    """Commands that end in one line on Ctrl-C; typer itself would end them without a word."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast("MutableMapping[str, Any]", Commands())

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names, without a look at the commands."""
        return list(COMMANDS)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """What the command line says; to show help, every command is imported.

        Raises:
            StoppedError: Ctrl-C ended it.
        """
        try:
            return super().make_context(*args, **extra)
        except KeyboardInterrupt:
            raise StoppedError from None

    def invoke(self, ctx: Any) -> Any:
        """Run the command.

        Raises:
            StoppedError: Ctrl-C ended it.
            BadParameter: A value is none that its option takes.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise StoppedError from None
        except typer.Abort as abort:  # A question makes one of Ctrl-C too; one of a "no" has no cause.
            if isinstance(abort.__context__, KeyboardInterrupt):
                raise StoppedError from None
            raise
        except typer.BadParameter as mistake:
            mistake.message = mistake.message.removeprefix(_OF_PYDANTIC)
            raise


_OF_PYDANTIC = "Value error, "
"""How pydantic, which checks values for typer, begins what typer says of them."""
