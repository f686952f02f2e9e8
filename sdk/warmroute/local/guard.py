"""Runs a server and ends it, with all that it started, when the process that asked for it is gone, however it ended.

Started as a script, by `guarded`; its arguments are the seconds that the server may take to end, and its command.
Whoever starts it holds the other end of its standard input, which the operating system closes with that process.
SIGTERM ends the server as well. Needs the standard library alone.
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

_IS_WINDOWS = os.name == "nt"

_ASKER = 0
"""The standard input, of which whoever asked holds the other end."""

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
    # Before there is a server, which a guard that ended at once would leave behind. The pipe is written into as the
    # signal comes; a handler in Python runs once the main thread goes on, which may be after the server's end.
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.set_wakeup_fd(tell)
    server = subprocess.Popen(  # noqa: S603 - the command is the caller's own.
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=None if _IS_WINDOWS else _die_with_parent,  # noqa: PLW1509 - there is no other thread yet.
    )

    def end_after(asked: int) -> None:
        with contextlib.suppress(OSError):
            os.read(asked, 1)
        if server.returncode is None:
            _end_all(server, by_force=False)
            time.sleep(grace_seconds)
        if server.returncode is None:
            _end_all(server, by_force=True)

    for asked in _ASKER, told:
        threading.Thread(target=end_after, args=(asked,), daemon=True).start()
    code = server.wait()
    _end_all(server, by_force=True)  # Its own children may have outlived it.
    return code if code >= 0 else 128 - code


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
