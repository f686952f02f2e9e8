"""What reaches a terminal, a pipe and a pipe that closes; Ctrl-C; and completion in a real shell."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7])[;m]")
COMMAND = [sys.executable, "-m", "warmroute"]
BAD_SPEC = "name: bot\nreigon: us-east-1\n"


def _on_a_terminal(*arguments: str, **environment: str) -> str:
    """What the command prints on a terminal."""
    mine, its = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "TERM", "FORCE_COLOR"}}
    process = subprocess.Popen([*COMMAND, *arguments], stdout=its, stderr=its, env={**kept, **environment})
    os.close(its)
    said = b""
    with contextlib.suppress(OSError):  # How Linux says that the other side is closed.
        while piece := os.read(mine, 65_536):
            said += piece
    os.close(mine)
    process.wait()
    return said.decode()


@pytest.fixture(params=["--help", "validate", "plan"])
def arguments(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    file = tmp_path / "bad.yaml"
    file.write_text(BAD_SPEC, encoding="utf-8")
    return ["--help"] if request.param == "--help" else [request.param, str(file)]


def test_a_terminal_has_colours_unless_the_user_wants_none(arguments: list[str]) -> None:
    assert COLOUR.search(_on_a_terminal(*arguments, TERM="xterm-256color"))
    assert not COLOUR.search(_on_a_terminal(*arguments, TERM="xterm-256color", NO_COLOR="1"))
    assert "\x1b" not in _on_a_terminal(*arguments, TERM="dumb")


def test_a_terminal_that_cannot_redraw_gets_plain_lines() -> None:
    said = _on_a_terminal("demo", "--requests", "8", "--rate", "100", TERM="dumb")

    assert "\x1b" not in said
    assert "- send 8 chat requests under PREFIX_AWARE" in said.replace("\r\n", "\n")


def test_a_pipe_gets_no_escape_codes(arguments: list[str], warmroute: Any) -> None:
    ran = warmroute(*arguments, env={"TERM": "xterm-256color"})

    assert "\x1b" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("arguments", [["schema"], ["checks"], ["--help"], ["doctor"]])
def test_a_pipe_that_closes_ends_the_command_without_a_word(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run([*COMMAND, *arguments], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)

    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.parametrize("arguments", [["validate", "-"], ["convert", "-", "--to", "anonymised", "-o", "out.jsonl"]])
def test_ctrl_c_is_one_line_and_130(arguments: list[str], tmp_path: Path) -> None:
    """While the command waits for its standard input."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *arguments], cwd=tmp_path, text=True, **pipes) as process:
        _wait_until_it_reads(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (130, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []


def _wait_until_it_reads(pid: int) -> None:
    """Until the process waits for file 0, as Linux tells it."""
    call = Path(f"/proc/{pid}/syscall")
    while not call.read_text("utf-8").startswith("0 0x0 "):
        os.sched_yield()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path: Path) -> None:
    program = tmp_path / "warmroute"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m warmroute "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = """
        eval "$(warmroute --show-completion)"
        COMP_WORDS=(warmroute tune trace.jsonl --input-format data) COMP_CWORD=4
        _warmroute_completion warmroute
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=False)

    assert (ran.stdout.strip(), ran.stderr) == ("data-capture", "")


def test_completion_is_installed_for_bash(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    script = f'"{sys.executable}" -m warmroute --install-completion; true'
    subprocess.run(["bash", "-c", script], capture_output=True, env=environment, check=True)

    installed = tmp_path / ".bash_completions" / "warmroute.sh"
    assert "_WARMROUTE_COMPLETE=complete_bash" in installed.read_text("utf-8")
    assert str(installed) in (tmp_path / ".bashrc").read_text("utf-8")
