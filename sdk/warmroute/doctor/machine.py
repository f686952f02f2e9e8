"""The machine and its Python environment, as probes ask it. Whoever tests a probe gives it another."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import Distribution
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_RUN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that has ended."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The end of what it said, which names the fault."""
        return ([line.strip() for line in (self.err or self.out).splitlines() if line.strip()] or ["it says nothing"])[
            -1
        ]


@dataclass(frozen=True, slots=True)
class Machine:
    """What there is to ask."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """Environment variables."""

    python: tuple[int, int, int] = sys.version_info[:3]
    """Version of the interpreter."""

    path: Sequence[str] = field(default_factory=lambda: sys.path)
    """Where packages are looked for."""

    now: float = field(default_factory=time.time)
    """The machine's clock, in seconds since 1970."""

    def distribution(self, name: str) -> Distribution | None:
        """An installed package; None for one that is not.

        Args:
            name: As pip calls it.
        """
        return next(iter(Distribution.discover(name=name, path=list(self.path))), None)

    def version(self, name: str) -> str | None:
        """Version of an installed package; None for one that is not.

        Args:
            name: As pip calls it.
        """
        found = self.distribution(name)
        return None if found is None else found.version

    def run(self, *command: str | Path) -> Ran | None:
        """Run a program; None where it is not there, cannot be run, or does not end within a minute.

        Args:
            command: Its file and its arguments.
        """
        try:
            done = subprocess.run(  # noqa: S603 - programs that probes look for.
                command,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=_RUN_SECONDS,
                check=False,
                env=dict(self.environment),
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return Ran(done.returncode, done.stdout, done.stderr)
