"""What a calibration asks of a server, and what it notes of each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Sequence


class CalibrationError(WarmrouteError):
    """A server that cannot be measured, or that refused to be."""


class PromptTooLongError(CalibrationError):
    """A prompt that the server refused, for its length as far as can be told."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One streamed answer."""

    prompt_tokens: int
    cached_tokens: int | None
    """Tokens of the prompt that the server says it found in its cache; None when it says nothing."""

    output_tokens: int
    token_seconds: tuple[float, ...]
    """When each part of the answer arrived, from the moment that its request was sent."""


@dataclass(frozen=True, slots=True)
class CacheSize:
    """A KV cache as the server describes it."""

    block_size: int
    kv_cache_tokens: int


class Server(Protocol):
    """A server under measurement, and the clock that it is measured with."""

    def ask(self, prompts: Sequence[str], output_tokens: int) -> list[Answer]:
        """Send prompts at the same moment, and wait for all answers.

        Args:
            prompts: What to send; nothing else may be on its way.
            output_tokens: Tokens that each answer shall have.

        Raises:
            CalibrationError: The server refused, failed, or answers in a way that says nothing about its time.
        """

    def seconds(self) -> float:
        """Seconds on a clock that only moves forward."""

    def context_tokens(self) -> int | None:
        """Tokens that a prompt and its answer may have together; None when the server does not say."""

    def cache_size(self) -> CacheSize | None:
        """The KV cache; None when the server does not say."""
