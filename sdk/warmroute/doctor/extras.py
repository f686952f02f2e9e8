"""The probe of the extras: which are installed, which lack something, and what mends that."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from warmroute.doctor.diagnosis import ok, problem, warning
from warmroute.doctor.packages import import_failure
from warmroute.doctor.requirements import OURS, lacking, required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine

MODULES = {
    "analysis": ("duckdb", "ibis", "numpy", "pyarrow", "scipy", "smart_open", "zstandard"),
    "cdk": ("warmroute_cdk",),  # It chooses the Node.js that the CDK's libraries start when they are imported.
    "load": ("locust",),
    "local": ("a2wsgi", "aiohttp", "cfnlint", "moto.server", "starlette", "uvicorn"),
    "openai": ("openai",),
    "report": ("matplotlib",),
    "sagemaker": ("sagemaker.core",),
    "spark": ("pyspark.sql", "ibis.backends.pyspark"),
}
"""What the packages of each extra are imported as."""


def extras(machine: Machine) -> Iterator[Diagnosis]:
    """Each extra: whether it is installed, whole, and can be imported."""
    with ThreadPoolExecutor() as side_by_side:  # An import may start Node.js, or load what is a hundred megabytes.
        yield from side_by_side.map(partial(_extra, machine), MODULES)


def is_installed(machine: Machine, extra: str) -> bool:
    """Whether every package that an extra names is there, in whatever version.

    Args:
        machine: The machine.
        extra: Its name.
    """
    own = required(machine, OURS, extra)
    return bool(own) and all(machine.version(each.name) for each in own)


def _extra(machine: Machine, extra: str) -> Diagnosis:
    subject, mend = f"extra {extra}", f"Run: pip install 'warmroute[{extra}]'"
    if not any(machine.version(name) for name in _of_its_own(machine, extra)):
        return ok(subject, "not installed.", f"To have it: pip install 'warmroute[{extra}]'")
    lacks = list(lacking(machine, required(machine, OURS, extra)))
    said = "; ".join(map(str, lacks))
    if not is_installed(machine, extra):
        return warning(subject, f"not all of it is installed: {said}.", f"To use it: pip install 'warmroute[{extra}]'")
    if lacks:
        deep = [lack.pip for lack in lacks if lack.by != OURS]
        return problem(subject, f"{said}.", " ".join([mend, *deep]))
    if failure := import_failure(machine, MODULES[extra]):
        return problem(subject, f"it cannot be imported: {failure}.", f"{mend} --force-reinstall")
    return ok(subject, "installed.")


def _of_its_own(machine: Machine, extra: str) -> set[str]:
    """What an extra names beyond the other extras that are installed: one may include another."""
    named = {each: {found.name for found in required(machine, OURS, each)} for each in MODULES}
    smaller = [each for each in MODULES if named[each] < named[extra] and is_installed(machine, each)]
    return named[extra].difference(*(named[each] for each in smaller))
