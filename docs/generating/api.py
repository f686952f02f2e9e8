"""The pages of the Python API: which names they show. What is said of each is its docstring, read by mkdocstrings."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOMS = {
    "warmroute": ("warmroute", "warmroute.hosting.experiment"),
    "client": tuple(f"warmroute.client.{name}" for name in ("sagemaker", "chat", "openai", "ids", "testing", "errors")),
    "prefix": ("warmroute.prefix",),
    "render": ("warmroute.render",),
    "deploy": ("warmroute.deploy",),
    "traffic": (
        "warmroute.traffic",
        "warmroute.traffic.writers",
        "warmroute.traffic.writers.sagemaker_benchmark",
        "warmroute.traffic.sample",
    ),
    "tune": ("warmroute.tune",),
    "fleet": ("warmroute.fleet",),
    "measure": (
        "warmroute.measure",
        *(f"warmroute.measure.{name}" for name in ("criteria", "decision", "statistics", "experiment")),
        *(f"warmroute.measure.{name}" for name in ("replay", "load", "telemetry", "report")),
    ),
    "local": ("warmroute.local",),
    "testing": ("warmroute.local.testing",),
    "warmroute_cdk": ("warmroute_cdk",),
}
"""The packages of each page."""


def api_pages() -> dict[str, str]:
    """The page of each room by its file's name."""
    return {f"{room}.md": _page(room, packages) for room, packages in ROOMS.items()}


def public_names(name: str) -> list[str]:
    """What a package or a module offers: what it lists, else what it defines itself without an underscore.

    A list is read and not run: ``warmroute.measure.load`` imports Locust, which replaces parts of the standard library.
    """
    for statement in ast.parse(_source(name)).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return sorted(_listed(statement.value, name))
    defined = inspect.getmembers(import_module(name), lambda value: inspect.isclass(value) or inspect.isfunction(value))
    return [each for each, value in defined if value.__module__ == name and not each.startswith("_")]


def _source(name: str) -> str:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(name)
    return Path(spec.origin).read_text("utf-8")


def _listed(names: ast.expr, name: str) -> list[str]:
    """The names of a list; of one that is computed, as it comes out."""
    computed = not isinstance(names, ast.List)
    listed: list[str] = import_module(name).__all__ if computed else ast.literal_eval(names)
    return listed


def _page(room: str, packages: tuple[str, ...]) -> str:
    title = room if room.startswith("warmroute") else f"warmroute.{'local.' * (room == 'testing')}{room}"
    return f"# {title}\n" + "".join(line for package in packages for line in _package(package))


def _package(name: str) -> Iterator[str]:
    names = public_names(name)
    hidden = [each for each in names if _is_module(name, each)]
    yield f"\n::: {name}\n    options:\n      members:\n"
    yield from (f"        - {each}\n" for each in names if each not in hidden)
    for each in hidden:
        home = getattr(import_module(name), each).__module__
        yield f"\n::: {home}.{each}\n    options:\n      heading_level: 3\n"


def _is_module(package: str, name: str) -> bool:
    """Whether a name is a module's too, which mkdocstrings would show in its place."""
    spec = find_spec(package)
    is_package = spec is not None and spec.submodule_search_locations is not None
    return is_package and find_spec(f"{package}.{name}") is not None
