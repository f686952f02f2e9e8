"""Real processes on this machine: the command as users start it, and endpoints on free ports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from warmroute.demo import example_spec_text

sys.path.append(str(Path(__file__).parent))  # For what several tests share.

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches an account that the machine may know."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """The example spec in a file."""
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    return file


@pytest.fixture
def warmroute() -> Command:
    """The command, in a process of its own."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "warmroute", *arguments]
        environment = {**os.environ, **(env or {})}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)

    return run
