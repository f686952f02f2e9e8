"""The command, run in this process as a shell would run it."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from warmroute.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Ran:
    """What a run of the command left."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def run(*arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setattr("sys.argv", ["warmroute", *arguments])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return Ran(int(stopped.value.code or 0), captured.out, captured.err)

    return run


class Terminal(io.StringIO):
    """A stream that a person watches."""

    def isatty(self) -> bool:
        return True

    @property
    def told(self) -> str:
        """All that was ever to be read, without the codes that move and colour it."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", self.getvalue())


@pytest.fixture
def run_on_terminal(run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """The command with a terminal, 200 columns wide, as its standard output."""

    def run_on_terminal(*arguments: str) -> Ran:
        terminal = Terminal()
        with monkeypatch.context() as changed:  # A fixture would be too early: pytest captures anew for each phase.
            changed.setattr("sys.stdout", terminal)
            changed.setattr("rich._console", None)  # It would be the one of an earlier test, which was no terminal.
            changed.setenv("TERM", "xterm")
            changed.setenv("NO_COLOR", "1")
            ran = run(*arguments)
        return replace(ran, out=terminal.told)

    return run_on_terminal
