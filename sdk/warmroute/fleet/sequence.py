"""A request on its way through an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warmroute.fleet.kv_cache import BlockTable
from warmroute.fleet.prompt import Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping


class EngineRequest(NamedTuple):
    """What an engine is asked to do."""

    id: str
    prompt: Prompt
    output_tokens: int
    """Tokens of the answer, at least 1; the request is finished when the last one is out."""

    received_tokens: int = 0
    """Tokens at the beginning of the prompt whose keys and values come with the request, from an engine that computed
    them; fewer than the prompt has. They take room, and no time."""


class Advance(NamedTuple):
    """What steps bring; all of it at their end."""

    seconds: float
    """How long they take."""

    started: Mapping[str, int]
    """Requests whose first token is out, with the tokens of their prompt that were found in the cache."""

    finished: tuple[str, ...]
    """Requests whose last token is out; they have left the engine."""


class Sequence:
    """A request with what the engine knows of it."""

    __slots__ = (
        "cached",
        "computed",
        "finish_step",
        "id",
        "joined",
        "number",
        "output_left",
        "request",
        "started",
        "table",
    )

    def __init__(self, request: EngineRequest) -> None:
        self.request = request
        self.id = request.id
        self.table = BlockTable(request.prompt)
        """Its blocks, and the prompt that it begins with, or begins with again."""
        self.computed = 0
        """Tokens whose keys and values are in its blocks; while it decodes, as of the step that it joined at."""
        self.cached: int | None = None
        """Tokens found in the cache when it first began; None before."""
        self.output_left = request.output_tokens
        """Tokens of the answer not yet out; while it decodes, as of the step that it joined at."""
        self.started = False
        """Whether its first token is out."""
        self.number = 0
        """Its place among those that run."""
        self.joined = 0
        """The step from which on it decodes."""
        self.finish_step = 0
        """The step after which its last token is out; 0 while it does not decode."""

    @property
    def uncomputed(self) -> int:
        """Tokens of its prompt that it has yet to compute."""
        return self.table.prompt.tokens - self.computed

    def start_again(self, step: int) -> None:
        """Forget what is computed; the answer so far becomes a part of the prompt."""
        if self.finish_step:
            prompt = self.table.prompt
            answered = step - self.joined
            # Its newest token is known and not computed, like the last of a prompt.
            self.table.prompt = Prompt(self.computed + answered + 1, prompt.segments, prompt.ends)
            self.output_left -= answered
            self.finish_step = 0
        self.computed = 0
