"""One vLLM server as a child process: started, looked after, started again, ended."""

from __future__ import annotations

import time
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING

from warmroute.local.engines.container import EngineStartError
from warmroute.local.engines.vllm.ports import HeldPort
from warmroute.local.guarded import GuardedProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

MAX_START_RETRIES = 3
"""How often a server that never answered is started again.

Source: ``PROCESS_MAX_START_RETRIES`` of AWS's containers.
"""

START_SECONDS = 900.0
"""How long a server may take until it answers."""

_PAUSE_SECONDS = 1.0
"""Between the end of a server and its next start."""

_PING_SECONDS = 2.0
_SHOWN_LINES = 5


class ServerProcess:
    """A server that answers ``/ping`` when it serves. One thread calls `look`, `end` and `wait`; any may ask.

    Args:
        name: What messages call it.
        command: Interpreter and arguments, but for host and port.
        environment: Its variables.
        log: File for what it says.
        say: Told what becomes of it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        say: Callable[[str], None],
    ) -> None:
        self.name = name
        self.url = ""
        """Its base address since the latest start."""
        self.starts = 0
        """How often it was started."""
        self._command = command
        self._environment = environment
        self._log = log
        self._say = say
        self._process: GuardedProcess | None = None
        self._port = HeldPort()
        self._answers = False
        self._failure = ""
        self._failed_starts = 0
        self._started = 0.0
        self._next_start = 0.0

    @property
    def in_service(self) -> bool:
        """Whether it answers.

        Raises:
            EngineStartError: It never will.
        """
        if self._failure:
            raise EngineStartError(self._failure)
        return self._answers

    def look(self) -> None:
        """Start it where it does not run, and see whether it answers."""
        if self._failure:
            return
        if self._process is None:
            if time.monotonic() >= self._next_start:
                self._start()
        elif (code := self._process.exit_code) is not None:
            self._has_ended(code)
        elif not self._answers:
            if self._pings():
                self._answers, self._failed_starts = True, 0
                self._port.let_go()
                self._say(f"{self.name}: in service after {time.monotonic() - self._started:.0f} s")
            elif time.monotonic() - self._started > START_SECONDS:
                self.end()
                self._fail(f"did not answer within {START_SECONDS:.0f} seconds")

    def end(self) -> None:
        """Ask it to end, and have it killed if it does not."""
        self._answers = False
        self._port.let_go()
        if self._process is not None:
            self._process.end()

    def wait(self) -> None:
        """Wait until it has ended."""
        if self._process is not None:
            self._process.wait()

    def drop_log(self) -> None:
        """Remove what it said, after `wait`, but for a server that failed: its message names that file."""
        if not self._failure:
            self._log.unlink(missing_ok=True)

    def _start(self) -> None:
        port = self._port.hold()
        self.url = f"http://127.0.0.1:{port}"
        self._started = time.monotonic()
        address = ("--host", "127.0.0.1", "--port", str(port))
        self._say(f"{self.name}: starting{' again' * bool(self.starts)}")
        self.starts += 1
        with self._log.open("ab") as log:
            try:
                self._process = GuardedProcess(
                    [*self._command, *address], stdout=log, stderr=log, environment=self._environment
                )
            except OSError as error:
                self._fail(f"cannot be started: {error.strerror}")

    def _has_ended(self, code: int) -> None:
        self._failed_starts = 0 if self._answers else self._failed_starts + 1
        self.end()
        self._process = None
        self._next_start = time.monotonic() + _PAUSE_SECONDS
        if self._failed_starts > MAX_START_RETRIES:
            self._fail(f"ended with exit code {code} before it answered")
        else:
            self._say(f"{self.name}: ended with exit code {code}")

    def _fail(self, how: str) -> None:
        said = self._log.read_text("utf-8", "replace").splitlines()[-_SHOWN_LINES:]
        self._failure = f"The server of {self.name} {how}. The end of {self._log}:\n" + "\n".join(said)
        self._say(f"{self.name}: given up")

    def _pings(self) -> bool:
        connection = HTTPConnection("127.0.0.1", int(self.url.rpartition(":")[2]), timeout=_PING_SECONDS)
        try:
            connection.request("GET", "/ping")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()
