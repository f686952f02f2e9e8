"""Watching a run from the servers' side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from warmroute.measure.telemetry.run_telemetry import RunTelemetry


class Observer(Protocol):
    """Watches one run; a new one for each."""

    def begin(self) -> None:
        """The run begins now.

        Raises:
            WarmrouteError: There is nothing to see where it was told to look.
        """

    def end(self) -> RunTelemetry:
        """The run is over: what was seen of it. A source whose figures come late is waited for, but not for ever."""

    def give_up(self) -> None:
        """There will be no run after all."""
