"""The programs of examples/ as their readers run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(name: str, environment: Mapping[str, str], *arguments: str, cwd: Path | None = None) -> str:
    """What a program says, run as ``python examples/<name>/main.py``.

    Args:
        name: Its folder.
        environment: What is exported in its shell, on top of what the tests have.
        arguments: Of its command line.
        cwd: Folder to run it in.
    """
    command = [sys.executable, str(EXAMPLES / name / "main.py"), *arguments]
    options = {"capture_output": True, "text": True, "timeout": 120, "cwd": cwd}
    done = subprocess.run(command, check=False, env={**os.environ, **environment}, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout
