"""vLLM's scheduler, one step at a time: continuous batching with chunked prefill, a prefix cache and preemption.

An engine holds no clock. It says how long its steps take, and whoever drives it lets that time pass: by sleeping, or
by adding it to a virtual clock. As long as the same sequences decode and none finishes, the steps are told and taken
all at once, at the price of one.

Source: ``vllm/v1/core/sched/scheduler.py``, first come, first served.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Generic

from warmroute.errors import WarmrouteError
from warmroute.fleet.sequence import Advance, EngineRequest, RequestId, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.fleet.cost_model import CostModel
    from warmroute.fleet.kv_cache import KvCache


class RequestRefusedError(WarmrouteError, ValueError):
    """A request that the engine can never serve, or that it already has."""


@dataclass(frozen=True, slots=True)
class Step(Generic[RequestId]):
    """What one step brings; all of it at the step's end."""

    seconds: float
    """How long the step takes."""

    new_tokens: int
    """Tokens computed, of prompts and of answers."""

    started: Mapping[RequestId, int]
    """Requests whose first token is out, with the tokens of their prompt that were found in the cache."""

    tokens: Mapping[RequestId, int]
    """Tokens of the answer that each request got."""

    finished: tuple[RequestId, ...]
    """Requests whose last token is out; they have left the engine."""


class Engine(Generic[RequestId]):
    """One vLLM engine.

    Args:
        cost_model: How long its steps take.
        kv_cache: Its blocks; no other engine may use them.
        max_num_seqs: Sequences that run at once, vLLM's setting of that name; at most ``max_num_batched_tokens`` do.
        max_num_batched_tokens: Tokens that a step computes at most, vLLM's setting of that name.
        host_cache: A second tier in the instance's memory, into which everything computed is copied, and from which
            it is copied back when the KV cache has lost it; None for none.

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
        self,
        cost_model: CostModel,
        kv_cache: KvCache,
        *,
        max_num_seqs: int,
        max_num_batched_tokens: int,
        host_cache: KvCache | None = None,
    ) -> None:
        for name, limit in (("max_num_seqs", max_num_seqs), ("max_num_batched_tokens", max_num_batched_tokens)):
            if limit < 1:
                raise WarmrouteError(f"{name} is {limit}, so that nothing could ever run.", "Use 1 or more.")
        self.cost_model = cost_model
        # Pydantic takes long to find an attribute.
        self._step_seconds, self._decode_seconds = cost_model.step_seconds, cost_model.decode_seconds
        self.kv_cache = kv_cache
        self.max_num_seqs = min(max_num_seqs, max_num_batched_tokens)
        self.max_num_batched_tokens = max_num_batched_tokens
        self._host_cache = host_cache
        self._waiting: OrderedDict[RequestId, Sequence[RequestId]] = OrderedDict()
        self._blocked = False
        """Whether the first that waits was found not to fit, and nothing was freed since."""
        self._running: dict[RequestId, Sequence[RequestId]] = {}
        """In the order in which they began. All decode, but the last, which may be amid its prompt."""
        self._prefilling: Sequence[RequestId] | None = None
        """The one that is amid its prompt: having taken all room of a step, it lets no other one begin."""
        self._answering: dict[RequestId, Sequence[RequestId]] = {}
        """Those that decode an answer whose blocks have names."""
        self._steps = 0
        """Steps taken."""
        self._begun = 0
        self._decode_kv_tokens = 0
        """Tokens computed of all that decode."""
        self._finishing: list[tuple[int, int, Sequence[RequestId]]] = []
        """Heap of those that decode by the step at which they finish; those that left before are still in it."""
        self._block_size = kv_cache.block_size
        self._capacity_tokens = kv_cache.capacity_blocks * kv_cache.block_size
        self._growing = [0] * kv_cache.block_size
        """How many of the other decoding ones need a new block at each step, modulo the block size."""
        self._computed = 0
        """Tokens computed by all steps."""
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

    def add(self, request: EngineRequest[RequestId]) -> None:
        """Queue a request; the next step may begin it.

        Raises:
            RequestRefusedError: It can never fit the cache, asks for no output, or its id is in use.
        """
        request_id, prompt, output_tokens, _ = request
        if request_id in self._running or request_id in self._waiting:
            raise RequestRefusedError(f"Request {request_id} is already here.", "Give each request its own id.")
        if prompt.tokens < 1 or output_tokens < 1:
            raise RequestRefusedError(
                f"Request {request_id} has {prompt.tokens} prompt and {output_tokens} output tokens.",
                "Give at least 1 of each.",
            )
        # The last token is never computed itself, so it takes no room.
        tokens = prompt.tokens + output_tokens - 1
        capacity = self._capacity_tokens
        if tokens > capacity:
            raise RequestRefusedError(
                f"Request {request_id} needs room for {tokens:,} tokens, and the KV cache has {capacity:,}.",
                "Shorten the prompt or the output, or give the engine a larger KV cache.",
            )
        self._waiting[request_id] = Sequence(request)

    def cancel(self, request_id: RequestId) -> bool:
        """Drop a request and free its blocks; what it has computed stays cached.

        Returns:
            False when the request is not here, because it finished before or never came.
        """
        if self._waiting.pop(request_id, None):
            self._blocked = False
            return True
        sequence = self._running.get(request_id)
        if sequence is None:
            return False
        self._leave(sequence)
        sequence.finish_step = 0
        return True

    def step(self) -> Step[RequestId]:
        """Run one step; its results are due when its seconds have passed."""
        computed = self._computed
        seconds, started, finished = self.advance()
        tokens = dict.fromkeys(finished, 1)
        for request_id, sequence in self._running.items():
            if sequence is not self._prefilling:
                tokens[request_id] = 1
        return Step(seconds, self._computed - computed, started, tokens, finished)

    def uneventful_steps(self) -> int:
        """Steps until something else can happen than one more token for each of the same requests; 0 without work."""
        running = self._running
        if self._prefilling is not None or not running:
            return 1 if running or self._waiting else 0
        answering = self._answering
        # An answer that grows can come to share blocks with the one that waits, which then needs fewer.
        if self._waiting and not (self._blocked and not answering) and len(running) < self.max_num_seqs:
            return 1
        finishing = self._finishing
        while finishing[0][2].finish_step != finishing[0][0]:
            heappop(finishing)
        steps = finishing[0][0] - self._steps
        free = self.kv_cache.free_blocks
        rounds = steps // self._block_size + 1
        if answering:
            if self._answers_meet():
                return 1
            free -= len(answering) * rounds
        unnamed = len(running) - len(answering)
        return steps if rounds * unnamed <= free else max(1, self._steps_with_room(free, steps, unnamed))

    def seconds_ahead(self, steps: int) -> float:
        """How long the next steps take, of those that are uneventful."""
        decoding = len(self._running)
        return self._decode_seconds(decoding, self._decode_kv_tokens + decoding, steps)

    def steps_to_pass(self, seconds: float) -> int:
        """The fewest steps, of those that are uneventful, that take at least so long; at least 1."""
        decoding = len(self._running)
        return self.cost_model.decode_steps(decoding, self._decode_kv_tokens + decoding, seconds)

    def advance(self) -> Advance[RequestId]:
        """Run one step of any kind; its results are due when its seconds have passed."""
        batch: list[tuple[Sequence[RequestId], int]] = []
        if self._running:
            self._continue_running(batch)
        decoding = len(self._running) - len(batch)
        copied = self._admit_waiting(batch, decoding) if self._waiting else 0
        self._steps += 1
        new_tokens = decoding
        decode_kv_tokens = self._decode_kv_tokens = self._decode_kv_tokens + decoding
        finished = self._finish() if self._finishing and self._finishing[0][0] <= self._steps else ()
        prefills: list[tuple[int, int]] = []
        started: dict[RequestId, int] = {}
        for sequence, new in batch:
            computed = sequence.computed
            new_tokens += new
            if new == 1:  # To the attention kernel a single token is decoding, whatever it is for.
                decode_kv_tokens += computed + 1
            else:
                prefills.append((new, computed))
            sequence.computed = computed = computed + new
            if computed < sequence.prompt.tokens:
                self._prefilling = sequence
                continue
            if sequence is self._prefilling:
                self._prefilling = None
            if not sequence.started:
                sequence.started = True
                started[sequence.id] = sequence.cached or 0
            sequence.output_left -= 1
            if sequence.output_left:
                self._begin_to_decode(sequence)
            else:
                self._leave(sequence, done=True)
                finished = (*finished, sequence.id)
        if not new_tokens:
            return Advance(0.0, started, finished)
        self._computed += new_tokens
        seconds = self._step_seconds(new_tokens, decode_kv_tokens, prefills)
        if copied:
            seconds += copied * self.cost_model.seconds_per_host_token
        return Advance(seconds, started, finished)

    def decode(self, steps: int) -> tuple[RequestId, ...]:
        """Run steps at once; their results are due when their seconds have passed.

        Args:
            steps: At most as many as were uneventful when `uneventful_steps` was above 1. What was added since waits.

        Returns:
            Requests whose last token is out; they have left the engine.
        """
        growing, size = self._growing, self._block_size
        new_tokens = len(self._running) * steps
        rounds, rest = divmod(steps, size)
        begin = self._steps % size
        end = begin + rest
        blocks = sum(growing[begin:end]) + rounds * (len(self._running) - len(self._answering))
        if end > size:
            blocks += sum(growing[: end - size])
        if blocks:
            self.kv_cache.hold_private(blocks)
        if self._answering:
            self._grow_answers(steps)
        self._steps += steps
        self._decode_kv_tokens += new_tokens
        self._computed += new_tokens
        return self._finish() if self._finishing[0][0] <= self._steps else ()

    def _continue_running(self, batch: list[tuple[Sequence[RequestId], int]]) -> None:
        """Give those that run the blocks for one more step; when blocks run out, the last one gives up its own."""
        prefilling = self._prefilling
        decoding = len(self._running) - (prefilling is not None)
        growing = self._growing[self._steps % self._block_size]
        wanted = growing + len(self._answering)
        chunk = 0
        if prefilling is not None:
            chunk = min(prefilling.uncomputed, self.max_num_batched_tokens - decoding)
            wanted += chunk // self._block_size + 2
        cache = self.kv_cache
        if wanted <= cache.free_blocks and not (self._answering and self._answers_meet()):
            if growing:
                cache.hold_private(growing)
            if self._answering:
                self._grow_answers(1)
            if prefilling is not None:
                cache.hold(prefilling, prefilling.computed + chunk)
                batch.append((prefilling, chunk))
            return
        queue = list(self._running.values())
        position = 0
        while position < len(queue):
            sequence = queue[position]
            while not self._grow(sequence, chunk):
                last = queue.pop()
                self._preempt(last)
                if last is sequence:
                    return
            if sequence is prefilling:
                batch.append((sequence, chunk))
            position += 1

    def _grow(self, sequence: Sequence[RequestId], chunk: int) -> bool:
        """Give one that runs the blocks for one more step; False when too few are free."""
        if sequence is self._prefilling:
            return self.kv_cache.hold(sequence, sequence.computed + chunk)
        computed = sequence.ahead + self._steps
        if sequence.id in self._answering:
            return self._grow_answer(sequence, computed + 1)
        if computed % self._block_size:
            return True
        if not self.kv_cache.free_blocks:
            return False
        self.kv_cache.hold_private(1)
        return True

    def _answers_meet(self) -> bool:
        """Whether an answer is about to fill a block that the cache has, or that another one fills at the same time.

        The order in which sequences get their blocks then decides what is evicted.
        """
        answering = self._answering.values()
        if len({sequence.prompt.segments[sequence.segment] for sequence in answering}) < len(answering):
            return True
        return any(map(self.kv_cache.continues, answering))

    def _grow_answers(self, steps: int) -> None:
        """Give those whose answers have names the blocks for more steps, which are known to be free."""
        for sequence in list(self._answering.values()):
            self._grow_answer(sequence, sequence.ahead + self._steps + steps)

    def _grow_answer(self, sequence: Sequence[RequestId], tokens: int) -> bool:
        """Give one whose answer has names the blocks for so many tokens; False when too few are free."""
        if not self.kv_cache.hold(sequence, tokens):
            return False
        if sequence.shared == sequence.prompt.blocks:
            del self._answering[sequence.id]
            self._growing[-sequence.ahead % self._block_size] += 1
        return True

    def _steps_with_room(self, free: int, steps: int, unnamed: int) -> int:
        """How many of the next steps have their blocks, without those of answers with names."""
        if free <= 0:
            return 0
        size = self._block_size
        rounds, rest = divmod(free, unnamed)
        possible = rounds * size
        while possible < steps:
            rest -= self._growing[(self._steps + possible) % size]
            if rest < 0:
                break
            possible += 1
        return min(possible, steps)

    def _preempt(self, sequence: Sequence[RequestId]) -> None:
        """Take a sequence's blocks; it waits before all others, its answer so far a part of its prompt."""
        self._leave(sequence)
        sequence.start_again(self._steps)
        self._waiting[sequence.id] = sequence
        self._waiting.move_to_end(sequence.id, last=False)
        self.num_preemptions += 1

    def _admit_waiting(self, batch: list[tuple[Sequence[RequestId], int]], decoding: int) -> int:
        """Begin those that wait, in order, until one does not fit.

        The whole prompt must fit, although this step may compute only a part (``scheduler_reserve_full_isl``,
        vLLM's default).

        Returns:
            Tokens to copy from the host's memory.
        """
        cache, host = self.kv_cache, self._host_cache
        room = self.max_num_batched_tokens - decoding
        for _, new in batch:
            room -= new
        copied = 0
        waiting, running = self._waiting, self._running
        while waiting and room and len(running) < self.max_num_seqs:
            sequence = next(iter(waiting.values()))
            prompt = sequence.prompt
            if not cache.fits(sequence, prompt.tokens):
                self._blocked = True
                break
            found = cache.cached_tokens(prompt)
            lost = 0
            if host is not None:
                lost = max(0, host.cached_tokens(prompt) - found)
                found += lost
            computed = found
            if sequence.cached is None and sequence.request.received_tokens > found:
                computed = sequence.request.received_tokens
            new = prompt.tokens - computed
            new = min(new, room)
            # A prompt that fits because others hold its last block may have no room for a part of that block.
            if not cache.hold(sequence, computed + new):
                break
            copied += lost
            if sequence.cached is None:
                sequence.cached = found
                self.prefix_cache_queries += prompt.tokens
                self.prefix_cache_hits += found
            sequence.computed = computed
            sequence.number = self._begun
            self._begun += 1
            del waiting[sequence.id]
            running[sequence.id] = sequence
            batch.append((sequence, new))
            room -= new
        return copied

    def _begin_to_decode(self, sequence: Sequence[RequestId]) -> None:
        steps = self._steps
        sequence.ahead = sequence.computed - steps
        sequence.finish_step = steps + sequence.output_left
        self._decode_kv_tokens += sequence.computed
        heappush(self._finishing, (sequence.finish_step, sequence.number, sequence))
        if sequence.shared < sequence.prompt.blocks:
            self._answering[sequence.id] = sequence
        else:
            self._growing[-sequence.ahead % self._block_size] += 1

    def _finish(self) -> tuple[RequestId, ...]:
        """Let those go that decode and have their last token."""
        finishing = self._finishing
        finished: tuple[RequestId, ...] = ()
        while finishing and finishing[0][0] <= self._steps:
            finish_step, _, sequence = heappop(finishing)
            if sequence.finish_step == finish_step:
                self._leave(sequence, done=True)
                sequence.finish_step = 0
                finished = (*finished, sequence.id)
        return finished

    def _leave(self, sequence: Sequence[RequestId], *, done: bool = False) -> None:
        """Take a running sequence's blocks; of one that is done, the host keeps a copy."""
        del self._running[sequence.id]
        if sequence is self._prefilling:
            self._prefilling = None
        elif sequence.finish_step:
            computed = sequence.ahead + self._steps
            self._decode_kv_tokens -= computed
            if not self._answering or self._answering.pop(sequence.id, None) is None:
                self._growing[-sequence.ahead % self._block_size] -= 1
                sequence.private = -(-computed // self._block_size) - sequence.shared
        if done and self._host_cache is not None:
            self._host_cache.replay(sequence.prompt, sequence.shared)
        self.kv_cache.release(sequence)
        self._blocked = False
