"""Runs a server and ends it, with all that it started, when the process that asked for it is gone, however it ended.

Started as a script, by `guarded`; its arguments are the seconds that the server may take to end, and its command.
Whoever starts it holds the other end of its standard input, which the operating system closes with that process. Needs
the standard library alone.
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

_IS_WINDOWS = os.name == "nt"

_PR_SET_PDEATHSIG = 1
"""Source: ``linux/prctl.h``."""


def main(grace_seconds: float, command: list[str]) -> int:
    """Run the command until it ends or is to end.

    Args:
        grace_seconds: How long the server may take to end by itself.
        command: What starts it.

    Returns:
        Its exit code.
    """
    server = subprocess.Popen(  # noqa: S603 - the command is the caller's own.
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=None if _IS_WINDOWS else _die_with_parent,  # noqa: PLW1509 - there is no other thread yet.
    )

    def end() -> None:
        _end_all(server, by_force=False)
        time.sleep(grace_seconds)
        _end_all(server, by_force=True)

    def end_with_asker() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 1):
                pass
        end()

    signal.signal(signal.SIGTERM, lambda *_: _aside(end))
    _aside(end_with_asker)
    code = server.wait()
    _end_all(server, by_force=True)  # Its own children may have outlived it.
    return code if code >= 0 else 128 - code


def _aside(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


def _end_all(server: subprocess.Popen[bytes], *, by_force: bool) -> None:
    if _IS_WINDOWS:  # It has no groups of processes, and no way to ask.
        server.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, signal.SIGKILL if by_force else signal.SIGTERM)


def _die_with_parent() -> None:
    """Have Linux end the server when this guard is killed; elsewhere nothing does."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
