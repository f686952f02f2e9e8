"""A request on its way through an engine."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from warmroute.fleet.kv_cache import BlockTable
from warmroute.fleet.prompt import Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping

RequestId = TypeVar("RequestId", bound=Hashable)


class EngineRequest(NamedTuple, Generic[RequestId]):
    """What an engine is asked to do."""

    id: RequestId
    """What its caller knows it by."""

    prompt: Prompt
    output_tokens: int
    """Tokens of the answer, at least 1; the request is finished when the last one is out."""

    received_tokens: int = 0
    """Tokens at the beginning of the prompt whose keys and values come with the request, from an engine that computed
    them; fewer than the prompt has. They take room, and no time."""


class Advance(NamedTuple, Generic[RequestId]):
    """What steps bring; all of it at their end."""

    seconds: float
    """How long they take."""

    started: Mapping[RequestId, int]
    """Requests whose first token is out, with the tokens of their prompt that were found in the cache."""

    finished: tuple[RequestId, ...]
    """Requests whose last token is out; they have left the engine."""


class Sequence(BlockTable, Generic[RequestId]):
    """A request with what the engine knows of it.

    Its blocks are those of the prompt that it begins with, or begins with again.
    """

    __slots__ = (
        "ahead",
        "cached",
        "computed",
        "finish_step",
        "id",
        "number",
        "output_left",
        "request",
        "started",
    )

    def __init__(self, request: EngineRequest[RequestId]) -> None:
        super().__init__(request.prompt)
        self.request = request
        self.id = request.id
        self.output_left = request.output_tokens
        """Tokens of the answer not yet out; unknown while it decodes."""
        self.computed = 0
        """Tokens whose keys and values are in its blocks; unknown while it decodes."""
        self.cached: int | None = None
        """Tokens found in the cache when it first began; None before."""
        self.started = False
        """Whether its first token is out."""
        self.number = 0
        """Its place among those that run."""
        self.ahead = 0
        """While it decodes: the tokens whose keys and values are in its blocks, less the steps of the engine."""
        self.finish_step = 0
        """The step after which its last token is out; 0 while it does not decode."""

    @property
    def uncomputed(self) -> int:
        """Tokens of its prompt that it has yet to compute."""
        return self.prompt.tokens - self.computed

    def start_again(self, step: int) -> None:
        """Forget what is computed; the answer so far becomes a part of the prompt."""
        if self.finish_step:
            prompt = self.prompt
            # Its newest token is known and not computed, like the last of a prompt.
            self.prompt = Prompt(self.ahead + step + 1, prompt.segments, prompt.ends)
            self.output_left = self.finish_step - step
            self.finish_step = 0
        self.computed = 0
