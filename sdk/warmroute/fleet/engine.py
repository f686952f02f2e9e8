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
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.fleet.sequence import Advance, EngineRequest, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.fleet.cost_model import CostModel
    from warmroute.fleet.kv_cache import KvCache


class RequestRefusedError(WarmrouteError, ValueError):
    """A request that the engine can never serve, or that it already has."""


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
        self.kv_cache = kv_cache
        self.max_num_seqs = min(max_num_seqs, max_num_batched_tokens)
        self.max_num_batched_tokens = max_num_batched_tokens
        self._host_cache = host_cache
        self._waiting: OrderedDict[str, Sequence] = OrderedDict()
        self._blocked = False
        """Whether the first that waits was found not to fit, and nothing was freed since."""
        self._running: dict[str, Sequence] = {}
        """In the order in which they began. All decode, but the last, which may be amid its prompt."""
        self._prefilling: Sequence | None = None
        """The one that is amid its prompt: having taken all room of a step, it lets no other one begin."""
        self._answering: dict[str, Sequence] = {}
        """Those that decode an answer whose blocks have names."""
        self._steps = 0
        """Steps taken."""
        self._begun = 0
        self._decode_kv_tokens = 0
        """Tokens computed of all that decode."""
        self._finishing: list[tuple[int, int, Sequence]] = []
        """Heap of those that decode by the step at which they finish; those that left before are still in it."""
        self._block_size = kv_cache.block_size
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
        self._waiting[request.id] = Sequence(request)

    def cancel(self, request_id: str) -> bool:
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

    def step(self) -> Step:
        """Run one step; its results are due when its seconds have passed."""
        computed = self._computed
        decoding = [sequence for sequence in self._running.values() if sequence is not self._prefilling]
        seconds, started, caught_up, finished = self._step()
        tokens = {sequence.id: 1 for sequence in decoding if sequence.id not in self._waiting}
        tokens.update(dict.fromkeys(caught_up, 1))
        return Step(seconds, self._computed - computed, started, tokens, finished)

    def uneventful_steps(self) -> int:
        """Steps until something else can happen than one more token for each of the same requests, at least 1."""
        if self._prefilling is not None or not self._running:
            return 1
        # An answer that grows can come to share blocks with the one that waits, which then needs fewer.
        stuck = self._blocked and not self._answering
        if self._waiting and not stuck and len(self._running) < self.max_num_seqs:
            return 1
        finishing = self._finishing
        while finishing[0][2].finish_step != finishing[0][0]:
            heappop(finishing)
        steps = finishing[0][0] - self._steps
        free = self.kv_cache.free_blocks
        if self._answering:
            if self._answers_meet():
                return 1
            free -= len(self._answering) * (steps // self._block_size + 1)
        return max(1, self._steps_with_room(free, steps))

    def seconds_ahead(self, steps: int) -> float:
        """How long the next steps take, of those that are uneventful."""
        decoding = len(self._running)
        return self.cost_model.decode_seconds(decoding, self._decode_kv_tokens + decoding, steps)

    def steps_to_pass(self, seconds: float) -> int:
        """The fewest steps, of those that are uneventful, that take at least so long; at least 1."""
        decoding = len(self._running)
        return self.cost_model.decode_steps(decoding, self._decode_kv_tokens + decoding, seconds)

    def advance(self) -> Advance:
        """Run one step of any kind; its results are due when its seconds have passed."""
        seconds, started, _, finished = self._step()
        return Advance(seconds, started, finished)

    def decode(self, steps: int) -> tuple[str, ...]:
        """Run steps at once; their results are due when their seconds have passed.

        Args:
            steps: At most as many as were uneventful when `uneventful_steps` was above 1. What was added since waits.

        Returns:
            Requests whose last token is out; they have left the engine.
        """
        decoding = len(self._running)
        self._grow_all(steps)
        self._steps += steps
        self._decode_kv_tokens += decoding * steps
        self._computed += decoding * steps
        return self._finish() if self._finishing[0][0] <= self._steps else ()

    def _step(self) -> tuple[float, dict[str, int], list[str], tuple[str, ...]]:
        """One step of any kind.

        Returns:
            Its seconds, those that got their first token with what they found in the cache, those that have caught
            up with their prompt for the first time or again, and those that have finished.
        """
        batch: list[tuple[Sequence, int]] = []
        if self._running:
            self._continue_running(batch)
        decoding = len(self._running) - len(batch)
        copied = self._admit_waiting(batch, decoding) if self._waiting else 0
        seconds, new_tokens = self._cost(batch, decoding)
        if copied:
            seconds += copied * self.cost_model.seconds_per_host_token
        self._steps += 1
        self._decode_kv_tokens += decoding
        self._computed += new_tokens
        finished = self._finish() if self._finishing and self._finishing[0][0] <= self._steps else ()
        started: dict[str, int] = {}
        caught_up: list[str] = []
        for sequence, new in batch:
            sequence.computed += new
            if sequence.uncomputed:
                self._prefilling = sequence
                continue
            if sequence is self._prefilling:
                self._prefilling = None
            caught_up.append(sequence.id)
            if not sequence.started:
                sequence.started = True
                started[sequence.id] = sequence.cached or 0
            sequence.output_left -= 1
            if sequence.output_left:
                self._begin_to_decode(sequence)
            else:
                self._leave(sequence, done=True)
                finished = (*finished, sequence.id)
        return seconds, started, caught_up, finished

    def _continue_running(self, batch: list[tuple[Sequence, int]]) -> None:
        """Give those that run the blocks for one more step; when blocks run out, the last one gives up its own."""
        prefilling = self._prefilling
        decoding = len(self._running) - (prefilling is not None)
        wanted = self._growing[self._steps % self._block_size] + len(self._answering)
        chunk = 0
        if prefilling is not None:
            chunk = min(prefilling.uncomputed, self.max_num_batched_tokens - decoding)
            wanted += chunk // self._block_size + 2
        cache = self.kv_cache
        if wanted <= cache.free_blocks and not (self._answering and self._answers_meet()):
            self._grow_all(1)
            if prefilling is not None:
                cache.hold(prefilling.table, prefilling.computed + chunk)
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

    def _grow(self, sequence: Sequence, chunk: int) -> bool:
        """Give one that runs the blocks for one more step; False when too few are free."""
        if sequence is self._prefilling:
            return self.kv_cache.hold(sequence.table, sequence.computed + chunk)
        computed = sequence.computed + self._steps - sequence.joined
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
        tables = [sequence.table for sequence in self._answering.values()]
        if len({table.prompt.segments[table.segment] for table in tables}) < len(tables):
            return True
        return any(map(self.kv_cache.continues, tables))

    def _grow_all(self, steps: int) -> None:
        """Give all that decode the blocks for more steps, which are known to be free."""
        growing = self._growing
        size = self._block_size
        rounds, rest = divmod(steps, size)
        begin = self._steps % size
        end = begin + rest
        blocks = sum(growing[begin:end]) if end <= size else sum(growing[begin:]) + sum(growing[: end - size])
        if rounds:
            blocks += rounds * (len(self._running) - len(self._answering))
        if blocks:
            self.kv_cache.hold_private(blocks)
        if self._answering:
            for sequence in list(self._answering.values()):
                self._grow_answer(sequence, sequence.computed + self._steps - sequence.joined + steps)

    def _grow_answer(self, sequence: Sequence, tokens: int) -> bool:
        """Give one whose answer has names the blocks for so many tokens; False when too few are free."""
        table = sequence.table
        if not self.kv_cache.hold(table, tokens):
            return False
        if table.shared == table.prompt.blocks:
            del self._answering[sequence.id]
            self._growing[(sequence.joined - sequence.computed) % self._block_size] += 1
        return True

    def _steps_with_room(self, free: int, steps: int) -> int:
        """How many of the next steps have their blocks, without those of answers with names."""
        growing = self._growing
        size = self._block_size
        total = len(self._running) - len(self._answering)
        if (steps // size + 1) * total <= free:
            return steps
        if free <= 0:
            return 0
        rounds, rest = divmod(free, total)
        possible = rounds * size
        while possible < steps:
            rest -= growing[(self._steps + possible) % size]
            if rest < 0:
                break
            possible += 1
        return min(possible, steps)

    def _preempt(self, sequence: Sequence) -> None:
        """Take a sequence's blocks; it waits before all others, its answer so far a part of its prompt."""
        self._leave(sequence)
        sequence.start_again(self._steps)
        self._waiting[sequence.id] = sequence
        self._waiting.move_to_end(sequence.id, last=False)
        self.num_preemptions += 1

    def _admit_waiting(self, batch: list[tuple[Sequence, int]], decoding: int) -> int:
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
        while self._waiting and room and len(self._running) < self.max_num_seqs:
            sequence = next(iter(self._waiting.values()))
            prompt = sequence.table.prompt
            if not cache.fits(sequence.table, prompt.tokens):
                self._blocked = True
                break
            found = cache.cached_tokens(prompt)
            lost = 0
            if host is not None:
                lost = max(0, host.cached_tokens(prompt) - found)
                found += lost
            computed = found
            if sequence.cached is None:
                computed = max(found, sequence.request.received_tokens)
            new = min(prompt.tokens - computed, room)
            # A prompt that fits because others hold its last block may have no room for a part of that block.
            if not cache.hold(sequence.table, computed + new):
                break
            copied += lost
            if sequence.cached is None:
                sequence.cached = found
                self.prefix_cache_queries += prompt.tokens
                self.prefix_cache_hits += found
            sequence.computed = computed
            sequence.number = self._begun
            self._begun += 1
            del self._waiting[sequence.id]
            self._running[sequence.id] = sequence
            batch.append((sequence, new))
            room -= new
        return copied

    def _cost(self, batch: list[tuple[Sequence, int]], decoding: int) -> tuple[float, int]:
        """Seconds and tokens of one step."""
        new_tokens = decoding
        decode_kv_tokens = self._decode_kv_tokens + decoding
        prefills = []
        for sequence, new in batch:
            new_tokens += new
            if new == 1:  # To the attention kernel a single token is decoding, whatever it is for.
                decode_kv_tokens += sequence.computed + 1
            else:
                prefills.append((new, sequence.computed))
        if not new_tokens:
            return 0.0, 0
        return self.cost_model.step_seconds(new_tokens, decode_kv_tokens, prefills), new_tokens

    def _begin_to_decode(self, sequence: Sequence) -> None:
        sequence.joined = self._steps
        sequence.finish_step = self._steps + sequence.output_left
        self._decode_kv_tokens += sequence.computed
        heappush(self._finishing, (sequence.finish_step, sequence.number, sequence))
        if sequence.table.shared < sequence.table.prompt.blocks:
            self._answering[sequence.id] = sequence
        else:
            self._growing[(sequence.joined - sequence.computed) % self._block_size] += 1

    def _finish(self) -> tuple[str, ...]:
        """Let those go that decode and have their last token."""
        finishing = self._finishing
        finished: tuple[str, ...] = ()
        while finishing and finishing[0][0] <= self._steps:
            finish_step, _, sequence = heappop(finishing)
            if sequence.finish_step == finish_step:
                self._leave(sequence, done=True)
                sequence.finish_step = 0
                finished = (*finished, sequence.id)
        return finished

    def _leave(self, sequence: Sequence, *, done: bool = False) -> None:
        """Take a running sequence's blocks; of one that is done, the host keeps a copy."""
        del self._running[sequence.id]
        table = sequence.table
        if sequence is self._prefilling:
            self._prefilling = None
        elif sequence.finish_step:
            computed = sequence.computed + self._steps - sequence.joined
            self._decode_kv_tokens -= computed
            if self._answering.pop(sequence.id, None) is None:
                size = self._block_size
                self._growing[(sequence.joined - sequence.computed) % size] -= 1
                table.private = -(-computed // size) - table.shared
        if done and self._host_cache is not None:
            self._host_cache.replay(table.prompt, table.shared)
        self.kv_cache.release(table)
        self._blocked = False
