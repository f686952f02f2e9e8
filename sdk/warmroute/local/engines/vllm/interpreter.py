"""The Python interpreter of the environment that has vLLM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from warmroute.errors import LocalEndpointError

ENVIRONMENT = ".venv-vllm"
"""Folder of the environment that ``make vllm`` makes."""

_PROBE_SECONDS = 60.0
_HAS_VLLM = "import importlib.util, sys; sys.exit(importlib.util.find_spec('vllm') is None)"


def vllm_interpreter(given: str | Path | None = None) -> Path:
    """The interpreter that starts vLLM's server.

    Args:
        given: What the user says it is; else that of ``.venv-vllm`` in the working directory, or this one.

    Raises:
        LocalEndpointError: It cannot be run, or has no vLLM.
    """
    made = Path(ENVIRONMENT, "bin", "python")
    python = Path(given) if given else made if made.exists() else Path(sys.executable)
    remedy = "Run make vllm in a checkout of warmroute, or name the interpreter of an environment that has vLLM."
    try:
        found = subprocess.run(  # noqa: S603 - the interpreter that the user names.
            [python, "-c", _HAS_VLLM], capture_output=True, timeout=_PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        raise LocalEndpointError(f"Interpreter {python} cannot be run.", remedy) from None
    if found.returncode:
        raise LocalEndpointError(f"Interpreter {python} has no vLLM.", remedy)
    return python.absolute()  # Not resolved: the link is what makes it that of its environment.
