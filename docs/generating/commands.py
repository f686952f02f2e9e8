"""The page of the command line, from the commands themselves."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, cast

from generating.tables import table
from rich.text import Text
from typer.main import get_command

from warmroute.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer import Context
    from typer.core import TyperCommand, TyperGroup

BEGINNING = """# The command line

Made from the commands: `warmroute apply --help` shows the same, and so for each. Results go to standard
output, messages to standard error. `warmroute --install-completion` lets bash, zsh and fish complete commands, options
and their values.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | an error, or something was found: findings of `lint`, `validate`, `explain`, `doctor`; a run that is not valid |
| 2 | wrong usage: an unknown option, a missing argument, a value out of its range |
| 3 | `plan` has changes to make |
| 130 | stopped by Ctrl-C |
"""


def commands_page() -> str:
    """The page of every command with its arguments and options."""
    group = cast("TyperGroup", get_command(app))
    context = cast("Context", group.make_context("warmroute", [], resilient_parsing=True))
    sections = [_options("Options of `warmroute` itself:", group, context)]
    for name in group.list_commands(context):
        command = cast("TyperCommand", group.get_command(context, name))
        of_command = command.make_context(name, [], parent=context, resilient_parsing=True)
        sections.append(_section(command, cast("Context", of_command)))
    return "\n".join((BEGINNING, *sections))


def _section(command: TyperCommand, context: Context) -> str:
    usage = " ".join(("warmroute", str(command.name), *command.collect_usage_pieces(context)))
    described = "\n".join(_paragraphs(command.help or ""))
    return f"## {command.name}\n\n```text\n{usage}\n```\n\n{described}\n{_options('', command, context)}"


def _paragraphs(text: str) -> Iterable[str]:
    for paragraph in cleandoc(text).split("\n\n"):
        before, example, commands = _plain(" ".join(paragraph.split())).partition("Example: warmroute ")
        if before:
            yield f"{before.strip()}\n"
        if example:
            yield f"```sh\nwarmroute {commands}\n```\n"


def _options(title: str, command: TyperCommand | TyperGroup, context: Context) -> str:
    records = [param.get_help_record(context) for param in command.get_params(context) if param.name != "help"]
    rows = [(f"`{name}`", _explained(text)) for name, text in filter(None, records)]
    return f"{title}\n\n".lstrip() + table(("argument or option", "what it means"), rows) if rows else ""


def _explained(text: str) -> str:
    """What an option means; its default and its range stand in square brackets behind two spaces, and are no markup."""
    meaning, brackets, limits = re.fullmatch(r"(.*?)(?:(  \[)(.*)\])?", text, re.DOTALL).groups("")  # type: ignore[union-attr]
    return f"{_plain(meaning)} [{limits}]" if brackets else _plain(meaning)


def _plain(text: str) -> str:
    """A help text as it is shown, where square brackets are markup."""
    return Text.from_markup(text).plain
