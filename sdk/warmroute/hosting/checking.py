"""Applies every check to a spec, and leaves out what its author has silenced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.rules import RULES, join_path, rules_for
from warmroute.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.errors import Finding
    from warmroute.hosting.spec import EndpointSpec
    from warmroute.rules import Rule


def check(spec: EndpointSpec, *, silenced: bool = False) -> list[Finding]:
    """Everything worth saying about a spec.

    Args:
        spec: The spec; since an invalid one cannot be built, what is found here are warnings.
        silenced: Whether to say also what the spec silences.

    Returns:
        Findings in the order of the document.
    """
    quiet = set() if silenced else {each.id for each in spec.silence or ()}
    return [
        finding
        for path, subject in _subjects(spec)
        for applied in rules_for(type(subject))
        for finding in applied.findings(subject, path, spec)
        if finding.severity is Severity.ERROR or finding.id not in quiet
    ]


def all_checks() -> list[Rule]:
    """Every check across fields, in the order of the ids; the errors of single fields are WR001 to WR007."""
    return [RULES[id_] for id_ in sorted(RULES)]


def _subjects(value: object, path: str = "") -> Iterator[tuple[str, Settings]]:
    """Every settings object below a value, with its path, the outer before the inner."""
    if isinstance(value, Settings):
        yield path, value
        for name in type(value).model_fields:
            yield from _subjects(getattr(value, name), join_path(path, name))
    elif isinstance(value, tuple):
        for position, item in enumerate(value):
            yield from _subjects(item, join_path(path, position))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _subjects(item, join_path(path, key))
