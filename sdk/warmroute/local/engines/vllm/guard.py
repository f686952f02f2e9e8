"""Runs a server and ends it, with all that it started, when the process that asked for it is gone, however it ended.

Started as a script with the server's command as its arguments. Whoever starts it holds the other end of its standard
input, which the operating system closes with that process. Needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_SECONDS = 5.0
"""How long the server may take to end by itself."""

_PR_SET_PDEATHSIG = 1
"""Source: ``linux/prctl.h``."""


def main(command: list[str]) -> int:
    """Run the command until it ends or is to end; gives its exit code."""
    server = subprocess.Popen(  # noqa: S603 - the command is the caller's own.
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_die_with_parent,  # noqa: PLW1509 - there is no other thread yet.
    )
    signal.signal(signal.SIGTERM, lambda *_: _aside(_end, server))
    _aside(_end_with_asker, server)
    code = server.wait()
    _signal_all(server, signal.SIGKILL)  # Its own children may have outlived it.
    return code if code >= 0 else 128 - code


def _end_with_asker(server: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1):
            pass
    _end(server)


def _end(server: subprocess.Popen[bytes]) -> None:
    _signal_all(server, signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    _signal_all(server, signal.SIGKILL)


def _aside(work: Callable[[subprocess.Popen[bytes]], None], server: subprocess.Popen[bytes]) -> None:
    threading.Thread(target=work, args=(server,), daemon=True).start()


def _signal_all(server: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, number)


def _die_with_parent() -> None:
    """Have Linux end the server when this guard is killed; elsewhere nothing does."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
