"""Checks of what a spec silences (WR9..)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.spec import SilencedCheck
from warmroute.rules import RULES, Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("WR901", Severity.ERROR, on=SilencedCheck, source="only a warning is a matter of judgement")
def only_warnings_are_silenced(silenced: SilencedCheck) -> Iterator[Problem]:
    """An error is refused by SageMaker whatever the spec says about it, and an unknown id silences nothing."""
    known = RULES.get(silenced.id)
    if known is None:
        yield problem("id", f"There is no check {silenced.id}.", "`warmroute checks` lists them all.")
    elif known.severity is Severity.ERROR:
        yield problem("id", f"{silenced.id} is an error, which cannot be silenced.", "Mend what it reports.")
