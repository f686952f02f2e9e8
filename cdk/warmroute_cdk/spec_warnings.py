"""What ``warmroute validate`` warns of, as warnings of a synthesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Annotations

from warmroute.hosting import check

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from constructs import Construct

    from warmroute.hosting import EndpointSpec

NOTHING_WAKES_IT_UP = "WR511"
"""Warning that a component which sleeps at zero copies stays there."""


class SpecWarnings:
    """The warnings of a spec at a construct, unless the spec silences them.

    Args:
        construct: The construct.
        answered: Ids of warnings that the construct has an answer to.
    """

    def __init__(self, construct: Construct, answered: AbstractSet[str]) -> None:
        self._annotations = Annotations.of(construct)
        self._answered = answered
        self._said: set[str] = set()

    def say(self, spec: EndpointSpec) -> None:
        """Warn of what a spec has; what was warned of and no longer holds is taken back.

        Args:
            spec: The spec as it is by now.
        """
        findings = [finding for finding in check(spec) if finding.id not in self._answered]
        for id_ in sorted(self._said - {finding.id for finding in findings}):
            self._annotations.acknowledge_warning(f"warmroute:{id_}")
        for finding in findings:
            self._annotations.add_warning_v2(f"warmroute:{finding.id}", str(finding))
        self._said = {finding.id for finding in findings}
