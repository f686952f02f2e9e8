"""Probes of Python and of the packages that warmroute itself needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet

from warmroute.doctor.diagnosis import ok, problem, warning
from warmroute.doctor.requirements import OURS, lacking, required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine

CORE_MODULES = ("boto3", "orjson", "packaging", "pydantic", "rich", "typer", "yaml")
"""What the packages that are always needed are imported as."""


def python(machine: Machine) -> Iterator[Diagnosis]:
    """Whether the interpreter is new enough."""
    version = ".".join(map(str, machine.python))
    ours = machine.distribution(OURS)
    needed = (ours.metadata["Requires-Python"] if ours else None) or ""
    if SpecifierSet(needed).contains(version):
        yield ok("Python", f"{version}, {sys.executable}.")
    else:
        yield problem(
            "Python", f"{version} runs, and warmroute needs {needed}.", "Make a virtual environment with a newer one."
        )


def itself(machine: Machine) -> Iterator[Diagnosis]:
    """Which warmroute it is, and whether it is installed."""
    folder = Path(__file__).parent.parent
    version = machine.version(OURS)
    if version is None:
        yield warning(
            "warmroute",
            f"it runs from {folder}, and pip does not know it: what it needs cannot be looked at.",
            "Run in a checkout: pip install -e .",
        )
    else:
        yield ok("warmroute", f"{version}, {folder}.")


def core(machine: Machine) -> Iterator[Diagnosis]:
    """Whether what is always needed is there, in versions that go together, and can be imported."""
    healthy = True
    for lack in lacking(machine, required(machine, OURS)):
        healthy = False
        yield problem("packages", f"{lack}.", f"Run: pip install {lack.pip}")
    if failure := import_failure(machine, CORE_MODULES):
        yield problem(
            "packages", f"they cannot be imported: {failure}.", "Run: pip install --force-reinstall warmroute"
        )
    elif healthy:
        yield ok("packages", "all that warmroute always needs are there.")


def import_failure(machine: Machine, modules: tuple[str, ...]) -> str:
    """Why modules cannot be imported, in a process of its own: some patch what they find, or end the process.

    Args:
        machine: The machine.
        modules: Their names.

    Returns:
        Python's own words; empty where all can be imported.
    """
    ran = machine.run(sys.executable, "-W", "ignore", "-c", f"import {', '.join(modules)}")
    if ran is None:
        return "that takes longer than a minute"
    return ran.last_line.rstrip(".") if ran.code else ""
