"""The help of every command ends with an example that can be typed, and is shown whole and plain."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
from rich.text import Text

from warmroute.cli.app import app

if TYPE_CHECKING:
    from conftest import Ran

    Run = Callable[..., Ran]

COMMAND: Any = typer.main.get_command(app)


def _tree(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command and everything below it, with what a user types for each."""
    yield name, command
    for each in getattr(command, "commands", {}).values():
        yield from _tree(each, f"{name} {each.name}")


COMMANDS = dict(_tree(COMMAND, "warmroute"))


def _words(line: str) -> list[str]:
    """The words of a command line up to what the shell makes of the rest."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    end = next((place for place, word in enumerate(words) if set(word) <= set("|><;&()")), len(words))
    return words[:end]


def parse(line: str) -> None:
    """Read a command line as the command would, without running it; a mistake in it raises."""
    program, *arguments = _words(line)
    assert program == "warmroute"
    context = COMMAND.make_context("warmroute", arguments, resilient_parsing=False)
    name, *rest = [*context._protected_args, *context.args]
    COMMAND.commands[name].make_context(name, rest, parent=context)


def _example(command: Any) -> str:
    paragraphs = (command.help or "").split("\n\n")
    return " ".join(paragraphs[-1].split())


def test_there_are_commands() -> None:
    assert {"warmroute", "warmroute init", "warmroute doctor"} <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_ends_with_an_example_of_it(name: str) -> None:
    example = _example(COMMANDS[name])

    assert example.startswith(f"Example: {name}"), example
    parse(example.removeprefix("Example: "))


def test_a_paragraph_fills_its_lines_however_it_is_broken_in_the_source(run: Run) -> None:
    ran = run("doctor", "--help")

    assert "Exit code 1 where something" in " ".join(ran.out.split())
    assert "\n" not in (COMMANDS["warmroute doctor"].help or "").replace("\n\n", " ")


def test_usage_tells_an_argument_that_may_be_left_out_or_given_again_by_one_mark(run: Run) -> None:
    assert "[OPTIONS] [SPEC]\n" in run("doctor", "--help").out.replace(" \n", "\n").replace("  ", "")
    assert "...}" not in run("compare", "--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_no_escape_codes_reach_a_pipe(run: Run, name: str) -> None:
    ran = run(*name.split()[1:], "--help")

    assert ran.code == 0
    assert "Usage: warmroute" in ran.out
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_is_taken_for_rich_s_markup(name: str) -> None:
    """In which "[/VARIANT]" ends the command with a traceback, and "[SPEC]" is not shown."""
    helps = [COMMANDS[name].help, *(getattr(each, "help", None) for each in COMMANDS[name].params)]

    assert [text for text in helps if text and Text.from_markup(text).plain != text] == []
