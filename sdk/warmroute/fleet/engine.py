"""vLLM's scheduler, one step at a time: continuous batching with chunked prefill, a prefix cache and preemption.

An engine holds no clock. It says how long each step takes, and whoever drives it lets that time pass: by sleeping, or
by adding it to a virtual clock.

Source: ``vllm/v1/core/sched/scheduler.py``, first come, first served.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.fleet.kv_cache import BlockTable, KvCache, Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.fleet.cost_model import CostModel


class RequestRefusedError(WarmrouteError, ValueError):
    """A request that the engine can never serve, or that it already has."""


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """What an engine is asked to do."""

    id: str
    prompt: Prompt
    output_tokens: int
    """Tokens of the answer, at least 1; the request is finished when the last one is out."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one step brings; all of it at the step's end."""

    seconds: float
    """How long the step takes."""

    new_tokens: int
    """Tokens computed, of prompts and of answers."""

    started: Mapping[str, int]
    """Requests whose first token is out, with the tokens of their prompt that were found in the cache."""

    tokens: Mapping[str, int]
    """Tokens of the answer that each request got."""

    finished: tuple[str, ...]
    """Requests whose last token is out; they have left the engine."""


class Engine:
    """One vLLM engine.

    Args:
        cost_model: How long its steps take.
        kv_cache: Its blocks; no other engine may use them.
        max_num_seqs: Sequences that run at once, vLLM's setting of that name.
        max_num_batched_tokens: Tokens that a step computes at most, vLLM's setting of that name.

    Raises:
        WarmrouteError: A limit below 1.
    """

    prefix_cache_queries: int
    """Prompt tokens looked up in the prefix cache, each request once. Metric ``vllm:prefix_cache_queries``."""

    prefix_cache_hits: int
    """Prompt tokens found there. Metric ``vllm:prefix_cache_hits``."""

    num_preemptions: int
    """Times that a running request lost its blocks. Metric ``vllm:num_preemptions``."""

    def __init__(
        self, cost_model: CostModel, kv_cache: KvCache, *, max_num_seqs: int, max_num_batched_tokens: int
    ) -> None:
        for name, limit in (("max_num_seqs", max_num_seqs), ("max_num_batched_tokens", max_num_batched_tokens)):
            if limit < 1:
                raise WarmrouteError(f"{name} is {limit}, so that nothing could ever run.", "Use 1 or more.")
        self.cost_model = cost_model
        self.kv_cache = kv_cache
        self.max_num_seqs = max_num_seqs
        self.max_num_batched_tokens = max_num_batched_tokens
        self._waiting: OrderedDict[str, _Sequence] = OrderedDict()
        self._running: dict[str, _Sequence] = {}
        self.prefix_cache_queries = self.prefix_cache_hits = self.num_preemptions = 0

    @property
    def running(self) -> int:
        """Requests that hold blocks. Metric ``vllm:num_requests_running``."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Requests that wait for their first step, or for another one after they lost their blocks.

        Metric ``vllm:num_requests_waiting``.
        """
        return len(self._waiting)

    @property
    def has_work(self) -> bool:
        """Whether a step would do anything."""
        return bool(self._running or self._waiting)

    def add(self, request: EngineRequest) -> None:
        """Queue a request; the next step may begin it.

        Raises:
            RequestRefusedError: It can never fit the cache, asks for no output, or its id is in use.
        """
        if request.id in self._running or request.id in self._waiting:
            raise RequestRefusedError(f"Request {request.id} is already here.", "Give each request its own id.")
        if request.prompt.tokens < 1 or request.output_tokens < 1:
            raise RequestRefusedError(
                f"Request {request.id} has {request.prompt.tokens} prompt and {request.output_tokens} output tokens.",
                "Give at least 1 of each.",
            )
        # The last token is never computed itself, so it takes no room.
        tokens = request.prompt.tokens + request.output_tokens - 1
        capacity = self.kv_cache.capacity_blocks * self.kv_cache.block_size
        if tokens > capacity:
            raise RequestRefusedError(
                f"Request {request.id} needs room for {tokens:,} tokens, and the KV cache has {capacity:,}.",
                "Shorten the prompt or the output, or give the engine a larger KV cache.",
            )
        self._waiting[request.id] = _Sequence(request)

    def cancel(self, request_id: str) -> bool:
        """Drop a request and free its blocks; what it has computed stays cached.

        Returns:
            False when the request is not here, because it finished before or never came.
        """
        if self._waiting.pop(request_id, None):
            return True
        sequence = self._running.pop(request_id, None)
        if sequence is None:
            return False
        self.kv_cache.release(sequence.table)
        return True

    def step(self) -> Step:
        """Run one step; its results are due when its seconds have passed."""
        batch = _Batch(self.max_num_batched_tokens)
        self._continue_running(batch)
        self._admit_waiting(batch)
        return self._complete(batch)

    def _continue_running(self, batch: _Batch) -> None:
        """Schedule those that run, in order of arrival; when blocks run out, the last one gives up its own."""
        queue = list(self._running.values())
        scheduled = 0
        while scheduled < len(queue) and batch.room:
            sequence = queue[scheduled]
            new_tokens = min(sequence.uncomputed, batch.room)
            while not self.kv_cache.hold(sequence.table, sequence.computed + new_tokens):
                last = queue.pop()
                self._preempt(last)
                if last is sequence:
                    return
            batch.add(sequence, new_tokens)
            scheduled += 1

    def _preempt(self, sequence: _Sequence) -> None:
        """Take a sequence's blocks; it waits before all others, its answer so far a part of its prompt."""
        self.kv_cache.release(sequence.table)
        sequence.prompt = Prompt(sequence.tokens, sequence.prompt.block_hashes)
        sequence.computed = 0
        del self._running[sequence.id]
        self._waiting[sequence.id] = sequence
        self._waiting.move_to_end(sequence.id, last=False)
        self.num_preemptions += 1

    def _admit_waiting(self, batch: _Batch) -> None:
        """Begin those that wait, in order, until one does not fit.

        The whole prompt must fit, although this step may compute only a part (``scheduler_reserve_full_isl``,
        vLLM's default).
        """
        while self._waiting and batch.room and len(self._running) < self.max_num_seqs:
            sequence = next(iter(self._waiting.values()))
            cached = self.kv_cache.cached_tokens(sequence.prompt)
            new_tokens = min(sequence.prompt.tokens - cached, batch.room)
            if not self.kv_cache.fits(sequence.table, sequence.prompt.tokens):
                return
            self.kv_cache.hold(sequence.table, cached + new_tokens)
            sequence.computed = cached
            if sequence.cached == _UNKNOWN:
                sequence.cached = cached
                self.prefix_cache_queries += sequence.prompt.tokens
                self.prefix_cache_hits += cached
            del self._waiting[sequence.id]
            self._running[sequence.id] = sequence
            batch.add(sequence, new_tokens)

    def _complete(self, batch: _Batch) -> Step:
        """Account for what a batch computed: a sequence that has caught up with itself gets its next token."""
        started: dict[str, int] = {}
        tokens: dict[str, int] = {}
        finished: list[str] = []
        for sequence, new_tokens in batch.scheduled:
            sequence.computed += new_tokens
            if sequence.uncomputed:
                continue
            tokens[sequence.id] = 1
            sequence.tokens += 1
            sequence.output_tokens_left -= 1
            if not sequence.started:
                sequence.started = True
                started[sequence.id] = sequence.cached
            if not sequence.output_tokens_left:
                finished.append(sequence.id)
                del self._running[sequence.id]
                self.kv_cache.release(sequence.table)
        return Step(batch.seconds(self.cost_model), batch.new_tokens, started, tokens, tuple(finished))


_UNKNOWN = -1


class _Sequence:
    """A request on its way through the engine."""

    __slots__ = ("cached", "computed", "id", "output_tokens_left", "prompt", "started", "table", "tokens")

    def __init__(self, request: EngineRequest) -> None:
        self.id = request.id
        self.prompt = request.prompt
        """What it begins with, or begins with again."""
        self.table = BlockTable(request.prompt.block_hashes)
        self.tokens = request.prompt.tokens
        """Tokens known: the prompt and the answer so far."""
        self.computed = 0
        """Tokens whose keys and values are in its blocks."""
        self.cached = _UNKNOWN
        """Tokens found in the cache when it first began."""
        self.output_tokens_left = request.output_tokens
        self.started = False

    @property
    def uncomputed(self) -> int:
        return self.tokens - self.computed


class _Batch:
    """What one step computes."""

    __slots__ = ("_decode_kv_tokens", "_prefills", "new_tokens", "room", "scheduled")

    def __init__(self, max_tokens: int) -> None:
        self.room = max_tokens
        self.new_tokens = 0
        self.scheduled: list[tuple[_Sequence, int]] = []
        self._decode_kv_tokens = 0
        self._prefills: list[tuple[int, int]] = []

    def add(self, sequence: _Sequence, new_tokens: int) -> None:
        self.room -= new_tokens
        self.new_tokens += new_tokens
        self.scheduled.append((sequence, new_tokens))
        if new_tokens == 1:  # To the attention kernel a single token is decoding, whatever it is for.
            self._decode_kv_tokens += sequence.computed + 1
        else:
            self._prefills.append((new_tokens, sequence.computed))

    def seconds(self, cost_model: CostModel) -> float:
        if not self.scheduled:
            return 0.0
        return cost_model.step_seconds(self.new_tokens, self._decode_kv_tokens, self._prefills)
