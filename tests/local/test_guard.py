"""Servers that end with whoever asked for them, in order where they can and by force where they do not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from warmroute.local import guard
from warmroute.local.guarded import GuardedProcess

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes."),
    # The guard forks while it has one thread; this process has several.
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]

ENDS = "echo ready; exec sleep 600"
DOES_NOT_END = "trap '' TERM; echo ready; while :; do sleep 600; done"
TERMINATED, KILLED = 128 + signal.SIGTERM, 128 + signal.SIGKILL


class Guarded:
    """The guard in this process: its server's output, and the end of its input that whoever asked holds."""

    def __init__(self, folder: Path, asker: int) -> None:
        self._fifo = folder / "fifo"
        os.mkfifo(self._fifo)
        self._asker: int | None = asker

    def run(self, does: str, then: Callable[[], None], grace_seconds: float = 0.05) -> int:
        """The exit code of a shell, after something is done once it has said something."""

        def watch() -> None:
            with self._fifo.open() as said:
                said.readline()
                then()

        watching = threading.Thread(target=watch)
        watching.start()
        code = guard.main(grace_seconds, ["sh", "-c", f"exec >{self._fifo}; {does}"])
        watching.join()
        return code

    def leave(self) -> None:
        """Whoever asked is gone."""
        if self._asker is not None:
            os.close(self._asker)
            self._asker = None


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    before, stdin = signal.getsignal(signal.SIGTERM), os.dup(0)
    ours, asker = os.pipe()
    os.dup2(ours, 0)
    os.close(ours)
    one = Guarded(tmp_path, asker)
    yield one
    one.leave()
    os.dup2(stdin, 0)
    os.close(stdin)
    os.close(signal.set_wakeup_fd(-1))
    signal.signal(signal.SIGTERM, before)


def test_a_server_that_ends_by_itself_gives_its_exit_code(guarded):
    assert guarded.run("echo ready; exit 7", lambda: None) == 7


def test_a_server_is_asked_to_end_when_whoever_asked_is_gone(guarded):
    assert guarded.run(ENDS, guarded.leave, grace_seconds=60) == TERMINATED


def test_a_server_is_asked_to_end_when_its_guard_is(guarded):
    assert guarded.run(ENDS, lambda: os.kill(os.getpid(), signal.SIGTERM), grace_seconds=60) == TERMINATED


ASKED = """
import os, runpy, signal, subprocess, sys

def ask():
    os.kill(os.getpid(), signal.SIGTERM)

class Popen(subprocess.Popen):
    def __init__(self, *args, **options):
        {starting}
        super().__init__(*args, **options)
        {started}

    def wait(self):
        {waiting}
        return super().wait()

subprocess.Popen = Popen
sys.exit(runpy.run_path({guard!r})["main"](60, ["sh", "-c", "exec sleep 600"]))
"""
MOMENTS = ("starting", "started", "waiting")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_server_is_ended_whenever_its_guard_is_asked_to_end(moment):
    code = ASKED.format(guard=guard.__file__, **{each: "ask()" if each == moment else "" for each in MOMENTS})
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        assert process.wait(60) == TERMINATED


def test_a_server_that_does_not_end_is_killed_after_its_time(guarded):
    assert guarded.run(DOES_NOT_END, guarded.leave) == KILLED


def test_what_a_server_has_started_does_not_outlive_it(guarded, tmp_path):
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    # It is read until the last process that has it open is gone.
    reading = threading.Thread(target=alive.read_bytes)
    reading.start()
    assert guarded.run(f"exec 3>{alive}; sleep 600 & echo ready", lambda: None) == 0
    reading.join(60)
    assert not reading.is_alive()


def _shell(does: str, folder: Path, grace_seconds: float = 60, **options) -> GuardedProcess:
    with (folder / "said").open("wb") as said:
        return GuardedProcess(
            ["sh", "-c", does], stdout=subprocess.PIPE, stderr=said, grace_seconds=grace_seconds, **options
        )


def test_a_guarded_process_says_what_its_server_prints_and_how_it_ended(tmp_path):
    process = _shell("echo first; echo aside >&2; exit 3", tmp_path)
    assert (process.read_line(), process.read_line()) == (b"first\n", b"")
    process.end()
    process.wait()
    assert process.exit_code == 3
    assert (tmp_path / "said").read_text("utf-8") == "aside\n"


def test_a_guarded_process_runs_until_it_is_ended(tmp_path):
    process = _shell(ENDS, tmp_path)
    assert process.read_line() == b"ready\n"
    assert process.exit_code is None
    process.end()
    process.end()
    process.wait()
    assert process.exit_code == TERMINATED


def test_a_guarded_process_has_the_variables_that_it_is_given_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setenv("WARMROUTE_MINE", "mine")
    told = []
    for options in ({}, {"environment": {"PATH": os.environ["PATH"], "TOKEN": "secret"}}):
        process = _shell('echo "$WARMROUTE_MINE,$TOKEN"', tmp_path, **options)
        told.append(process.read_line())
        process.end()
        process.wait()
    assert told == [b"mine,\n", b",secret\n"]


def test_ctrl_c_is_for_whoever_started_a_guarded_process_alone(tmp_path):
    process = _shell(ENDS, tmp_path)
    process.read_line()
    assert os.getpgid(process._process.pid) != os.getpgid(0)
    process.end()
    process.wait()


def test_the_guard_needs_the_standard_library_alone():
    # It runs under -I, where this package need not be found.
    code = f"import runpy, sys; runpy.run_path({guard.__file__!r}, run_name='guard'); print('warmroute' in sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
