"""What master and workers tell each other, beside Locust's own messages: kinds, and the values of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PREPARE = "warmroute-prepare"
"""To a worker: ``run``, the run's name; ``index`` of the worker; ``of``, how many there are; ``salt``."""

CLOCK = "warmroute-clock"
"""To the master: ``asked``, the worker's time."""

CLOCK_IS = "warmroute-clock-is"
"""To a worker: ``asked``, and ``told``, the master's time."""

READY = "warmroute-ready"
"""To the master: ``run``; ``planned`` requests of the plan; its ``fingerprint``; ``uncertainty`` of the clock."""

START = "warmroute-start"
"""To a worker: ``run``; ``at``, a time of the master's clock."""

ROWS = "warmroute-rows"
"""To the master: ``run``; ``rows``, columns and values of each."""

STOP = "warmroute-stop"
"""To a worker: ``run``."""

ENDED = "warmroute-ended"
"""To the master: ``run``; ``error``, why the worker failed, or None; ``gave_up``; ``problems``."""


def listen(runner: Any, kind: str, heard: Callable[[str, dict[str, Any]], None]) -> None:
    """Have a function called for each message of a kind.

    Args:
        runner: Locust's runner.
        kind: The kind.
        heard: Called with the sender and the values.
    """

    def listener(*, environment: object, msg: Any) -> None:  # noqa: ARG001 - Locust's signature.
        heard(msg.node_id, msg.data)

    runner.register_message(kind, listener)
