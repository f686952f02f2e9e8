"""A server whose clock is an engine's: what it measures follows from a profile alone."""

from __future__ import annotations

from collections.abc import Sequence

from warmroute.fleet import EngineProfile, EngineRequest, prompt_blocks
from warmroute.fleet.calibration import Answer
from warmroute.fleet.calibration.answers import CacheSize, PromptTooLongError


class SimulatedServer:
    """One engine, asked in virtual time."""

    def __init__(
        self,
        profile: EngineProfile,
        *,
        reports_cached_tokens: bool = True,
        caches_prefixes: bool = True,
        shows_cache: bool = False,
        streams: bool = True,
        holds_long_answers: bool = False,
        most_tokens: int = 10**9,
        jitter: Sequence[float] = (1.0,),
    ) -> None:
        self._profile = profile
        self._engine = profile.engine()
        self._reports = reports_cached_tokens
        self._caches = caches_prefixes
        self._shows_cache = shows_cache
        self._streams = streams
        self._holds = holds_long_answers
        self._most_tokens = most_tokens
        self._jitter = jitter
        self._now = 0.0
        self._steps = self._asked = 0

    def seconds(self) -> float:
        return self._now

    def context_tokens(self) -> int | None:
        return None

    def cache_size(self) -> CacheSize | None:
        if not self._shows_cache:
            return None
        return CacheSize(self._profile.block_size, self._profile.cost_model.kv_cache_tokens)

    def ask(self, prompts: Sequence[str], output_tokens: int) -> list[Answer]:
        asked = {}
        for prompt in prompts:
            salt = "" if self._caches else str(self._asked)
            blocks = prompt_blocks(prompt, block_size=self._profile.block_size, salt=salt)
            if blocks.tokens > self._most_tokens:
                raise PromptTooLongError(f"The context has {self._most_tokens} tokens.")
            asked[self._asked] = blocks
            self._engine.add(EngineRequest(self._asked, blocks, output_tokens))
            self._asked += 1
        now = self._profile.cost_model.request_seconds
        cached: dict[int, int] = {}
        times: dict[int, list[float]] = {each: [] for each in asked}
        while self._engine.has_work:
            step = self._engine.step()
            self._steps += 1
            now += step.seconds * self._jitter[self._steps % len(self._jitter)]
            cached.update(step.started)
            for each in step.tokens:
                times[each].append(now)
        self._now += now
        if self._holds and output_tokens > 8:  # As a busy server does: all tokens arrive with the last.
            times = {each: [found[-1]] * len(found) for each, found in times.items()}
        return [
            Answer(
                blocks.tokens,
                cached[each] if self._reports else None,
                output_tokens,
                tuple(times[each]) if self._streams else (now,),
            )
            for each, blocks in asked.items()
        ]
