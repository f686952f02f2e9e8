"""The local endpoint as a child process: it ends with its parent, however that ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from stand_in_servers import until

from warmroute.local import running_locally

PARENT = """
import time
from warmroute.local import running_locally
with running_locally() as local:
    print(local.url, flush=True)
    time.sleep(600)
"""


def _answers(url: str) -> bool:
    where = urlsplit(url)
    try:
        socket.create_connection((where.hostname, where.port), timeout=10).close()
    except ConnectionRefusedError:
        return False
    return True


def _descendants(pid: int) -> list[int]:
    """Its children, theirs, and so on."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
    parent_of = dict(tuple(map(int, line.split())) for line in listed.splitlines()[1:])
    found = {pid}
    while more := {child for child, parent in parent_of.items() if parent in found} - found:
        found |= more
    return sorted(found - {pid})


def _alive(pids: list[int]) -> list[int]:
    states = {pid: Path(f"/proc/{pid}/status") for pid in pids}
    return [pid for pid, file in states.items() if file.exists() and "State:\tZ" not in file.read_text("utf-8")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_parent(how: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        url = parent.stdout.readline().strip()
        assert _answers(url)
        children = _descendants(parent.pid)
        assert len(children) == 2  # The guard and the server.

        parent.send_signal(how)
        parent.wait()

        until(lambda: not _alive(children), "both have ended")
        assert not _answers(url)


def test_it_ends_with_a_parent_that_is_killed_while_it_starts() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        until(lambda: len(_descendants(parent.pid)) == 2, "the server starts")
        children = _descendants(parent.pid)
        parent.kill()
        parent.wait()

        until(lambda: not _alive(children), "both have ended")


def test_it_ends_when_its_guard_is_killed() -> None:
    with running_locally() as local:
        guard, server = _descendants(os.getpid())[:2]
        os.kill(guard, signal.SIGKILL)
        until(lambda: not _alive([server]), "the server has ended")
        assert not _answers(local.url)


def test_the_spec_does_not_stay_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "files"))
    (tmp_path / "files").mkdir()
    with running_locally(spec, speed=100):
        assert list((tmp_path / "files").rglob("*.json")) == []
    assert list((tmp_path / "files").iterdir()) == []
