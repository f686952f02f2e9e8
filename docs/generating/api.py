"""The pages of the Python API: which names they show. What is said of each is its docstring, read by mkdocstrings."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

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


def public_names(package: ModuleType) -> list[str]:
    """What a package or a module offers: what it lists, else what it defines itself without an underscore."""
    listed: list[str] | None = getattr(package, "__all__", None)
    if listed is not None:
        return sorted(listed)
    defined = inspect.getmembers(package, lambda value: inspect.isclass(value) or inspect.isfunction(value))
    return [name for name, value in defined if value.__module__ == package.__name__ and not name.startswith("_")]


def _page(room: str, packages: tuple[str, ...]) -> str:
    title = room if room.startswith("warmroute") else f"warmroute.{'local.' * (room == 'testing')}{room}"
    return f"# {title}\n" + "".join(line for package in packages for line in _package(package))


def _package(name: str) -> Iterator[str]:
    package = import_module(name)
    names = public_names(package)
    hidden = [each for each in names if _is_module(package, each)]
    yield f"\n::: {name}\n    options:\n      members:\n"
    yield from (f"        - {each}\n" for each in names if each not in hidden)
    for each in hidden:
        yield f"\n::: {getattr(package, each).__module__}.{each}\n    options:\n      heading_level: 3\n"


def _is_module(package: ModuleType, name: str) -> bool:
    """Whether a name is a module's too, which mkdocstrings would show in its place."""
    return hasattr(package, "__path__") and find_spec(f"{package.__name__}.{name}") is not None
