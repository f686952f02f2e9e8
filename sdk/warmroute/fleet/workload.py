"""What a simulated fleet is asked: requests at given times, or clients that ask one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.fleet.prompt import Prompt


class FleetRequest(NamedTuple):
    """One request to a fleet."""

    arrival_seconds: float
    """When it arrives, from the beginning of the simulation; not read in a closed loop."""

    prompt: Prompt
    output_tokens: int
    """Tokens of the answer, at least 1."""

    key: bytes = b""
    """Its routing key, what PREFIX_AWARE compares: `warmroute.prefix.routing_key` finds it.

    ``request._replace(key=…)`` gives the same request for another prefix length, its prompt shared.
    """

    adapter: str = ""
    """The LoRA adapter that it asks for; empty for none. Its prompt's salt must name it, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedLoop:
    """Clients each of which waits for an answer, thinks, and asks again.

    Raises:
        WarmrouteError: No client, no time, or a negative time to think.
    """

    sessions: Iterable[Iterable[FleetRequest]]
    """Requests that one client makes one after the other, then takes the next session. Endless ones are fine."""

    clients: int
    think_seconds: float = 0.0
    """Mean of the exponentially distributed time from an answer to the client's next request."""

    duration_seconds: float
    """When clients stop asking; what is on its way is still answered."""

    def __post_init__(self) -> None:
        if self.clients < 1 or self.duration_seconds <= 0 or self.think_seconds < 0:
            raise WarmrouteError(
                f"{self.clients} clients for {self.duration_seconds} s that think for {self.think_seconds} s.",
                "Give at least one client, a duration above 0, and a time to think of 0 or more.",
            )
