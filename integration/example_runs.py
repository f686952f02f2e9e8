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


def run_example(name: str, environment: Mapping[str, str], *arguments: str, program: str = "main.py") -> str:
    """What a program says, run as ``python examples/<name>/<program>``.

    Args:
        name: Its folder.
        environment: What is exported in its shell, on top of what the tests have.
        arguments: Of its command line.
        program: Its file.
    """
    command = [sys.executable, str(EXAMPLES / name / program), *arguments]
    options = {"capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run(command, check=False, env={**os.environ, **environment}, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout
