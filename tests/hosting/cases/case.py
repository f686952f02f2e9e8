"""What a case of a check is: one spec that breaks the rule, and one next to it that keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hosting.specs import changed

from warmroute.errors import Severity


@dataclass(frozen=True)
class Case:
    """A rule, where it is broken, and two specs that differ in nothing else."""

    id: str
    severity: Severity
    path: str
    broken: dict[str, Any]
    sound: dict[str, Any]


def error(id_: str, path: str, base: dict[str, Any], broken: dict[str, Any], sound: dict[str, Any]) -> Case:
    """A case of an error.

    Args:
        id_: Id of the rule.
        path: Where the finding stands.
        base: The spec that both specs are made of.
        broken: Changes that break the rule.
        sound: Changes, next to those, that keep it.
    """
    return Case(id_, Severity.ERROR, path, changed(base, broken), changed(base, sound))


def warning(id_: str, path: str, base: dict[str, Any], broken: dict[str, Any], sound: dict[str, Any]) -> Case:
    """A case of a warning; see :func:`error`."""
    return Case(id_, Severity.WARNING, path, changed(base, broken), changed(base, sound))
