"""The settings of a local endpoint, and the ranges in which they make sense."""

from __future__ import annotations

from warmroute.errors import LocalEndpointError

DEFAULT_PORT = 8333
"""Where ``warmroute local`` listens unless it is told otherwise."""

MIN_SPEED, MAX_SPEED = 0.01, 10_000
"""Times as fast as real engines and deployments; at more, time would leave the years that a date can have within a
day's run."""

MAX_DEPLOYMENT_SECONDS = 86_400
"""Longest creation or update of an endpoint: a day, which no real one takes."""


def check_options(speed: float, deployment_seconds: float) -> None:
    """Refuse settings with which nothing would be served.

    Raises:
        LocalEndpointError: One is out of its range, or not a number.
    """
    for name, value, least, most in (
        ("speed", speed, MIN_SPEED, MAX_SPEED),
        ("deployment_seconds", deployment_seconds, 0, MAX_DEPLOYMENT_SECONDS),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise LocalEndpointError(f"{name}: {value!r} is no number.", f"Allowed: {least:,} to {most:,}.")
        if not least <= value <= most:
            raise LocalEndpointError(f"{name}: {value} is out of range.", f"Allowed: {least:,} to {most:,}.")
