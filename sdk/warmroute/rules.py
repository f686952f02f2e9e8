"""Checks across fields: one small function a rule, each with an id, a severity and a source.

A rule is a generator over one subject. A rule of one parameter looks at the subject alone and, when it is an
error, already holds while the subject is built; a rule of two parameters also sees the whole spec::

    @rule("WR201", Severity.WARNING, on=ProductionVariant, source="botocore RoutingStrategy")
    def needs_two_instances(variant, spec):
        "Prefix-aware routing acts only where two or more instances can serve the request."
        if ...:
            yield problem("initial_instance_count", "1 instance serves this variant.", "Start two instances.")
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from warmroute.errors import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


Check = TypeVar("Check", bound="Callable[..., Iterator[Problem]]")


class Problem(NamedTuple):
    """What a rule found, before it carries the rule's id and the subject's path."""

    at: str
    message: str
    remedy: str


def problem(at: str, message: str, remedy: str) -> Problem:
    """A problem of the subject.

    Args:
        at: Path of the field, relative to the subject; empty for the subject itself.
        message: What is wrong, with the value at fault, as a sentence.
        remedy: What to do, as a sentence.
    """
    return Problem(at, message, remedy)


@dataclass(frozen=True, slots=True)
class Rule:
    """A check that findings refer to."""

    id: str
    severity: Severity
    on: type
    """Class of the subjects that the rule looks at."""

    reason: str
    """Why the rule exists: the first paragraph of its docstring."""

    source: str
    """Where the rule is documented, or what it is inferred from."""

    check: Callable[..., Iterator[Problem]]
    needs_spec: bool

    def findings(self, subject: object, path: str = "", spec: object | None = None) -> Iterator[Finding]:
        """What the rule finds in one subject.

        Args:
            subject: An instance of ``on``.
            path: Where the subject stands in its document.
            spec: The whole spec, for rules that need it.
        """
        problems = self.check(subject, spec) if self.needs_spec else self.check(subject)
        for found in problems:
            yield Finding(
                id=self.id,
                severity=self.severity,
                path=join_path(path, found.at),
                message=found.message,
                remedy=found.remedy,
                source=self.source,
            )


RULES: dict[str, Rule] = {}
"""Every rule by its id, in the order of definition."""

_BY_CLASS: dict[type, list[Rule]] = {}


def rule(
    id: str,  # noqa: A002 - the name that findings, specs and documentation use.
    severity: Severity,
    *,
    on: type,
    source: str,
) -> Callable[[Check], Check]:
    """Register a generator function as a rule.

    Args:
        id: Stable identifier, ``WR`` and three digits.
        severity: What the rule's findings mean for the spec.
        on: Class whose instances the rule looks at.
        source: Where the rule is documented, or what it is inferred from.

    Raises:
        ValueError: The id is taken.
    """

    def register(check: Check) -> Check:
        if id in RULES:
            raise ValueError(f"Rule id {id} is taken by {RULES[id].check.__name__}.")
        reason = " ".join((inspect.getdoc(check) or "").split("\n\n", 1)[0].split())
        registered = Rule(id, severity, on, reason, source, check, len(inspect.signature(check).parameters) > 1)
        RULES[id] = registered
        _BY_CLASS.setdefault(on, []).append(registered)
        return check

    return register


def rules_for(cls: type) -> list[Rule]:
    """The rules that look at instances of a class."""
    return [found for base in cls.__mro__ for found in _BY_CLASS.get(base, ())]


def own_errors(subject: object) -> list[Finding]:
    """Errors that can be seen in a subject alone."""
    return [
        finding
        for applied in rules_for(type(subject))
        if applied.severity is Severity.ERROR and not applied.needs_spec
        for finding in applied.findings(subject)
    ]


def join_path(*parts: Any) -> str:
    """A path of fields, ``variants[0].name``, from its parts; whole numbers are positions in a list."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part:
            text = str(part)
            path += text if not path or text.startswith("[") else f".{text}"
    return path
