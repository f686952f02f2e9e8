"""vLLM's prefix cache and scheduler block by block and step by step, as a reference for the fast ones.

Everything is spelled out: a dictionary entry for each block, a loop over all sequences for each step.
"""

from __future__ import annotations

from collections import OrderedDict

from warmroute.fleet import CostModel, EngineRequest, Prompt


class PlainCache:
    def __init__(self, capacity_blocks: int, block_size: int) -> None:
        self.capacity_blocks, self.block_size = capacity_blocks, block_size
        self.holders: dict[object, int] = {}
        self.idle: OrderedDict[object, None] = OrderedDict()
        self.private = 0

    @property
    def free_blocks(self) -> int:
        return self.capacity_blocks - len(self.holders) - self.private

    @property
    def cached(self) -> set[object]:
        return {*self.holders, *self.idle}

    def cached_tokens(self, names: list[object], tokens: int) -> int:
        found = 0
        for name in names[: (tokens - 1) // self.block_size]:
            if name not in self.holders and name not in self.idle:
                break
            found += 1
        return found * self.block_size

    def fits(self, sequence: PlainSequence, tokens: int) -> bool:
        shared, private = self._split(sequence, tokens)
        unheld = sum(name not in self.holders for name in sequence.names[sequence.shared : shared])
        return unheld + private - sequence.private <= self.free_blocks

    def hold(self, sequence: PlainSequence, tokens: int) -> bool:
        shared, private = self._split(sequence, tokens)
        if not self.fits(sequence, tokens):
            return False
        for name in sequence.names[sequence.shared : shared]:
            self.holders[name] = self.holders.get(name, 0) + 1
            self.idle.pop(name, None)
        self.private += private - sequence.private
        sequence.shared, sequence.private = shared, private
        for _ in range(len(self.idle) - self.free_blocks):
            self.idle.popitem(last=False)
        return True

    def release(self, sequence: PlainSequence) -> None:
        for name in reversed(sequence.names[: sequence.shared]):
            self.holders[name] -= 1
            if not self.holders[name]:
                del self.holders[name]
                self.idle[name] = None
        self.private -= sequence.private
        sequence.shared = sequence.private = 0

    def _split(self, sequence: PlainSequence, tokens: int) -> tuple[int, int]:
        shared = min(tokens // self.block_size, len(sequence.names))
        return shared, -(-tokens // self.block_size) - shared


def block_names(prompt: Prompt) -> list[object]:
    """A name for each block of a prompt in segments."""
    begins = (0, *prompt.ends)
    return [
        (segment, block)
        for segment, begin, end in zip(prompt.segments, begins, prompt.ends, strict=False)
        for block in range(end - begin)
    ]


class PlainSequence:
    def __init__(self, request: EngineRequest) -> None:
        self.id = request.id
        self.names = block_names(request.prompt)
        self.prompt_tokens = self.tokens = request.prompt.tokens
        self.shared = self.private = self.computed = 0
        self.cached: int | None = None
        self.output_tokens_left = request.output_tokens
        self.started = False

    @property
    def uncomputed(self) -> int:
        return self.tokens - self.computed


class PlainEngine:
    def __init__(
        self, cost_model: CostModel, cache: PlainCache, max_num_seqs: int, max_num_batched_tokens: int
    ) -> None:
        self.cost_model, self.cache = cost_model, cache
        self.max_num_seqs = min(max_num_seqs, max_num_batched_tokens)
        self.max_num_batched_tokens = max_num_batched_tokens
        self.waiting: OrderedDict[str, PlainSequence] = OrderedDict()
        self.running: dict[str, PlainSequence] = {}
        self.num_preemptions = 0

    @property
    def has_work(self) -> bool:
        return bool(self.running or self.waiting)

    def add(self, request: EngineRequest) -> None:
        self.waiting[request.id] = PlainSequence(request)

    def cancel(self, request_id: str) -> None:
        if not self.waiting.pop(request_id, None) and request_id in self.running:
            self.cache.release(self.running.pop(request_id))

    def step(self) -> tuple[float, dict[str, int], list[str], list[str]]:
        """Seconds; first tokens with what was cached; all who got a token; those who finished."""
        self.room = self.max_num_batched_tokens
        self.scheduled: list[tuple[PlainSequence, int]] = []
        self._continue_running()
        self._admit_waiting()
        return self._complete()

    def _continue_running(self) -> None:
        queue, position = list(self.running.values()), 0
        while position < len(queue) and self.room:
            sequence = queue[position]
            new = min(sequence.uncomputed, self.room)
            while not self.cache.hold(sequence, sequence.computed + new):
                last = queue.pop()
                self._preempt(last)
                if last is sequence:
                    return
            self._schedule(sequence, new)
            position += 1

    def _preempt(self, sequence: PlainSequence) -> None:
        self.cache.release(sequence)
        sequence.prompt_tokens = sequence.tokens
        sequence.computed = 0
        del self.running[sequence.id]
        self.waiting[sequence.id] = sequence
        self.waiting.move_to_end(sequence.id, last=False)
        self.num_preemptions += 1

    def _admit_waiting(self) -> None:
        while self.waiting and self.room and len(self.running) < self.max_num_seqs:
            sequence = next(iter(self.waiting.values()))
            cached = self.cache.cached_tokens(sequence.names, sequence.prompt_tokens)
            if not self.cache.fits(sequence, sequence.prompt_tokens):
                return
            new = min(sequence.prompt_tokens - cached, self.room)
            if not self.cache.hold(sequence, cached + new):
                return
            sequence.computed = cached
            if sequence.cached is None:
                sequence.cached = cached
            del self.waiting[sequence.id]
            self.running[sequence.id] = sequence
            self._schedule(sequence, new)

    def _schedule(self, sequence: PlainSequence, new: int) -> None:
        self.room -= new
        self.scheduled.append((sequence, new))

    def _complete(self) -> tuple[float, dict[str, int], list[str], list[str]]:
        decode_kv_tokens = sum(sequence.computed + 1 for sequence, new in self.scheduled if new == 1)
        prefills = [(new, sequence.computed) for sequence, new in self.scheduled if new > 1]
        new_tokens = sum(new for _, new in self.scheduled)
        seconds = self.cost_model.step_seconds(new_tokens, decode_kv_tokens, prefills) if new_tokens else 0.0
        started: dict[str, int] = {}
        tokens, finished = [], []
        for sequence, new in self.scheduled:
            sequence.computed += new
            if sequence.uncomputed:
                continue
            tokens.append(sequence.id)
            sequence.tokens += 1
            sequence.output_tokens_left -= 1
            if not sequence.started:
                sequence.started = True
                started[sequence.id] = sequence.cached
            if not sequence.output_tokens_left:
                finished.append(sequence.id)
                del self.running[sequence.id]
                self.cache.release(sequence)
        return seconds, started, tokens, finished
