"""One request as it was really made, whatever format it was recorded in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.inference_api import Api


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficRequest:
    """One recorded request. What its source does not tell is None, or empty; nothing is guessed here."""

    source: str
    """File or URI that it was read from."""

    line: int
    """Its line there, from 1; its position, from 1, in a source that has no lines."""

    request_id: str = ""
    """Its id in the source: the event, span or custom id."""

    arrival_seconds: float | None = None
    """When it arrived: since 1970 where the source tells the date, else on the clock of the source."""

    arrival_resolution_seconds: float = 0.0
    """How coarse the source's clock is: 1.0 where it tells whole seconds."""

    delay_seconds: float | None = None
    """Time after the answer before it in its session, in a source that tells this instead of an arrival."""

    session: str = ""
    """The conversation that it belongs to."""

    turn: int | None = None
    """Its position in its session, from 0."""

    api: Api | None = None
    """How it was sent, where that is known."""

    body: bytes | None = None
    """The body, to the byte as it was sent; without it, the bytes that InvokeEndpoint compares are unknown."""

    text: str | None = None
    """The texts of its messages, or its prompt: the characters that the OpenAI-compatible API compares."""

    prompt_root: str = ""
    """What a model is shown or told before the text, tools for one, as text; prompts of two roots share no KV cache."""

    prefix_aware_id: str = ""
    """Its PrefixAwareId or ``prompt_cache_key``."""

    adapter: str = ""
    """The LoRA adapter or model that it asks for."""

    input_tokens: int | None = None
    """Tokens of the prompt."""

    output_tokens: int | None = None
    """Tokens of the answer."""

    output_characters: int | None = None
    """Length of the answer, where its tokens were not counted."""

    block_hashes: tuple[int, ...] = ()
    """Names of the prompt's blocks, each for the whole prompt up to its end, in a source that keeps no text.

    The last one may stand for fewer tokens than a block has.
    """

    block_tokens: int = 0
    """Tokens to a block of ``block_hashes``."""
