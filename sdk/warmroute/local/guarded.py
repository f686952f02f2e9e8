"""Servers as child processes that end with the process that started them, even if that is killed."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from warmroute.local import guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GUARD_SECONDS = 2.0
"""What the guard may take beyond the server."""


class GuardedProcess:
    """A server under a guard, in a session of its own: Ctrl-C is for whoever started it, which ends it in order.

    Args:
        command: What the guard runs.
        stdout: File or ``subprocess.PIPE`` for what the server prints.
        stderr: File for what it says.
        grace_seconds: How long it may take to end before it is killed.
        environment: Its variables; by default those of this process.

    Raises:
        OSError: The guard cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdout: IO[bytes] | int,
        stderr: IO[bytes],
        grace_seconds: float = 5.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._end_seconds = grace_seconds + _GUARD_SECONDS
        self._process = subprocess.Popen(  # noqa: S603 - the caller's own command.
            [sys.executable, "-I", guard.__file__, str(grace_seconds), *command],
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            env=None if environment is None else dict(environment),
            start_new_session=True,
        )

    @property
    def exit_code(self) -> int | None:
        """That of the server, once it has ended."""
        return self._process.poll()

    def read_line(self) -> bytes:
        """The next line that the server prints; empty once it has ended. For ``stdout`` as a pipe alone."""
        return b"" if self._process.stdout is None else self._process.stdout.readline()

    def end(self) -> None:
        """Ask it to end, and have it killed if it does not."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def wait(self) -> None:
        """Wait until it has ended, after `end`."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._end_seconds)
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
