"""The subcommands, each imported when it is asked for: whoever runs one does not wait for the others."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

import typer
from typer.main import get_command

if TYPE_CHECKING:
    from typer.core import TyperCommand

COMMANDS = (
    *("init", "validate", "render", "plan", "apply", "status", "rollback", "destroy", "import"),
    *("profile", "tune", "simulate", "calibrate", "sample", "convert", "digest"),
    *("local", "demo", "replay", "compare", "report", "canonical", "key", "explain", "lint"),
    *("schema", "checks", "doctor"),
)
"""Their names, in the order in which help lists them."""


class Commands(Mapping[str, "TyperCommand"]):
    """Each command by its name."""

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS

    def __getitem__(self, name: str) -> TyperCommand:
        if name not in self:
            raise KeyError(name)
        return _command(name)


@functools.cache
def _command(name: str) -> TyperCommand:
    module = name + "_" * (name == "import")
    function = vars(importlib.import_module(f"warmroute.cli.{module}"))[module]
    # Typer shows the lines of every paragraph but the first as they are broken in the source.
    paragraphs = inspect.cleandoc(function.__doc__).split("\n\n")
    alone = typer.Typer(add_completion=False)
    alone.command(name, help="\n\n".join(" ".join(each.split()) for each in paragraphs))(function)
    return cast("TyperCommand", get_command(alone))
