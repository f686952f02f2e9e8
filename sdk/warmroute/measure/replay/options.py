"""What a replay is asked for besides its trace and its target."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from warmroute.settings import Settings


class Load(Settings):
    """When requests are sent, and how many."""

    rate: float | None = Field(default=None, gt=0, le=100_000)
    """Requests a second of a Poisson process, instead of the trace's own times."""

    concurrent_sessions: int = Field(default=1, ge=1)
    """Sessions side by side under ``rate``; with 1 the order of the trace stays."""

    speed: float = Field(default=1.0, gt=0, le=10_000)
    """How many times faster than its own times a trace is replayed."""

    duration_seconds: float | None = Field(default=None, gt=0)
    """Requests planned after it are left out."""

    requests: int | None = Field(default=None, ge=1)
    """The first so many requests; without it, all."""

    part: int = Field(default=0, ge=0)
    """Which stretch of the trace, each as long as ``duration_seconds`` or ``requests`` say; 0 is its beginning."""

    seed: int = 0
    """Of the process, and of the place of a request within a second of a trace that tells whole seconds."""


class Sending(Settings):
    """What is sent of a recorded request."""

    bodies: Literal["recorded", "canonical"] = "recorded"
    """Whether a body that the trace holds to the byte is sent as it was written; others are canonical JSON."""

    model: str | None = Field(default=None, min_length=1)
    """The model to ask for, instead of the recorded one."""

    fixed_length: bool = True
    """Whether every answer gets the recorded length (``ignore_eos``), so that all runs do the same work."""

    default_output_tokens: int = Field(default=128, ge=1)
    """Tokens of an answer whose length the trace does not tell."""

    temperature: float | None = Field(default=0.0, ge=0)
    """Instead of the recorded one; None keeps that."""

    cache_salt: bool = True
    """Whether each run gets a ``cache_salt`` of its own, so that it finds nothing of another's cache."""
