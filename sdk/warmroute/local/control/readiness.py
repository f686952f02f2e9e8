"""Changes that take effect once the instances that they need serve: real engines need a minute to start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.local.control.registry import Registry
    from warmroute.local.control.snapshot import EndpointState

_LOOKING_SECONDS = 0.25
"""How often a change looks whether its instances serve, in seconds of the clock."""


class NotServingError(Exception):
    """Instances that will never serve; what it says becomes the FailureReason."""


def _at_once(_: EndpointState) -> bool:
    return True


def _nothing(_: EndpointState) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Readiness:
    """Who knows whether instances serve."""

    is_ready: Callable[[EndpointState], bool] = _at_once
    """Whether an endpoint could serve as it shall be; begins to start what it lacks, and raises NotServingError."""

    give_up: Callable[[EndpointState], None] = _nothing
    """Told that an endpoint will not be as it should have been."""


def once_ready(
    registry: Registry, due: float, future: Callable[[], EndpointState], finish: Callable[[float, str], object]
) -> None:
    """Enter a change of an endpoint that takes effect at its time, and not before its instances serve.

    Args:
        registry: Where the endpoint is.
        due: When it happens at the earliest, in seconds of the clock.
        future: The endpoint as it shall be.
        finish: Called with the time, and with why the instances will never serve; empty where they do.
    """

    def attempt(when: float) -> None:
        state, failure = future(), ""
        try:
            if not registry.readiness.is_ready(state):
                registry.agenda.add(max(when, registry.clock.now()) + _LOOKING_SECONDS, attempt)
                return
        except NotServingError as error:
            failure = str(error)
            registry.readiness.give_up(state)
        finish(when, failure)

    registry.agenda.add(due, attempt)
