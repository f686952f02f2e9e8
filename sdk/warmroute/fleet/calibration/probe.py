"""The requests of a calibration: prompts that are new, prompts that are repeated, and answers side by side."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import gcd
from statistics import median
from typing import TYPE_CHECKING

from warmroute.fleet.calibration.answers import CalibrationError, PromptTooLongError

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.fleet.calibration.answers import Answer, Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a calibration asks."""

    seconds: float = 180.0
    """When to stop; one round of every kind of request is made in any case."""

    max_prompt_tokens: int = 8_000
    """The longest prompt. One that a single step computes says most."""

    max_concurrency: int = 64
    """The most requests at the same time."""

    seed: int = 0
    """Of the prompts: two runs of one seed send the same, so a server must forget the first before the second."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """How long a request that was alone waited for its first token."""

    new_tokens: int
    cached_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class DecodeStep:
    """How long a step took in which some sequences got a token each."""

    sequences: int
    kv_tokens: float
    """Tokens whose keys and values the step read, of all sequences together."""

    seconds: float


@dataclass(slots=True)
class Measurements:
    """What was measured."""

    first_tokens: list[FirstToken] = field(default_factory=list)
    decode_steps: list[DecodeStep] = field(default_factory=list)
    block_size: int | None = None
    """Tokens to a block, from the counts of cached tokens; None when they do not say."""

    max_num_seqs: int | None = None
    """Sequences that ran at once when more were sent; None when all that were sent ran."""

    requests: int = 0
    prompt_tokens: int = 0
    longest_prompt_tokens: int = 0
    reports_cached_tokens: bool = True
    caches_prefixes: bool = True


def probe(server: Server, limits: Limits, on_step: Callable[[str], None] = lambda _: None) -> Measurements:
    """Ask a server and note how long it takes.

    Args:
        server: The server; no one else may use it meanwhile.
        limits: How much to ask.
        on_step: Told what comes next.

    Raises:
        CalibrationError: The server does not answer, does not stream, or takes no prompt of `SHORTEST_LONGEST` tokens.
    """
    return _Probe(server, limits, on_step).run()


SHORTEST_LONGEST = 512
"""Tokens that a server must take in a prompt, at least, for its prefill to show beside the fixed part of a request."""

_OUTPUT_TOKENS = 48
_LENGTHS = 8
_SHORTEST = 64


class _Probe:
    def __init__(self, server: Server, limits: Limits, on_step: Callable[[str], None]) -> None:
        self._server = server
        self._limits = limits
        self._on_step = on_step
        self._chance = random.Random(limits.seed)  # noqa: S311 - repeatable prompts, not secrets.
        self._found = Measurements()
        self._template_tokens = 0.0
        self._tokens_per_word = 1.0
        self._pairs: list[tuple[Answer, Answer]] = []
        self._most_asked = self._most_at_once = 0
        """Answers that were asked for, and that were seen to run, side by side."""

    def run(self) -> Measurements:
        begin = self._server.seconds()
        self._on_step("first answers")
        self._learn_to_count()
        longest = self._longest()
        lengths = [round(_SHORTEST * (longest / _SHORTEST) ** (i / (_LENGTHS - 1))) for i in range(_LENGTHS)]
        round_number = 0
        while not round_number or self._server.seconds() - begin < self._limits.seconds:
            round_number += 1
            self._on_step(f"round {round_number}: prompts of {_SHORTEST} to {longest:,} tokens, new and repeated")
            self._chance.shuffle(lengths)
            for length in lengths:
                self._prefill(length)
            self._on_step(f"round {round_number}: up to {self._limits.max_concurrency} answers side by side")
            for context in (2 * _SHORTEST, longest):
                self._decode_side_by_side(context)
        if self._most_at_once < self._most_asked:
            self._found.max_num_seqs = self._most_at_once
        self._note_first_tokens()
        return self._found

    def _ask(self, prompts: list[str], output_tokens: int) -> list[Answer]:
        answers = self._server.ask(prompts, output_tokens)
        self._found.requests += len(answers)
        self._found.prompt_tokens += sum(answer.prompt_tokens for answer in answers)
        self._found.longest_prompt_tokens = max(
            self._found.longest_prompt_tokens, *(answer.prompt_tokens for answer in answers)
        )
        return answers

    def _words(self, count: int) -> str:
        """A text that begins like no other."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        return " ".join("".join(self._chance.choices(letters, k=5)) for _ in range(count))

    def _text(self, tokens: int) -> str:
        return self._words(max(1, round((tokens - self._template_tokens) / self._tokens_per_word)))

    def _learn_to_count(self) -> None:
        """Find how many tokens a word is, and see that answers stream."""
        few, many = (self._ask([self._words(count)], 8)[0] for count in (20, 120))
        if few.output_tokens > 1 and len(few.token_seconds) < 2:
            raise CalibrationError(
                f"The server sent {few.output_tokens} tokens in one piece, so that their times cannot be told.",
                "Turn streaming on, in the server and in whatever stands before it.",
            )
        self._tokens_per_word = max(0.1, (many.prompt_tokens - few.prompt_tokens) / 100)
        self._template_tokens = max(0.0, few.prompt_tokens - 20 * self._tokens_per_word)

    def _longest(self) -> int:
        """The longest prompt that the server takes."""
        longest = self._limits.max_prompt_tokens
        context = self._server.context_tokens()
        if context is not None:
            longest = min(longest, context - _OUTPUT_TOKENS - round(context * 0.02))
        refused = ""
        while longest >= SHORTEST_LONGEST:
            try:
                self._ask([self._text(longest)], 2)
            except PromptTooLongError as error:
                refused = f" {error.message}"
                longest = longest * 3 // 4
            else:
                return longest
        raise CalibrationError(
            f"Prompts are shorter than {SHORTEST_LONGEST} tokens, too short to tell the time of prefill.{refused}",
            f"Allow {SHORTEST_LONGEST} tokens or more: in the server's context, and with --max-prompt-tokens.",
        )

    def _prefill(self, tokens: int) -> None:
        text = self._text(tokens)
        (cold,), (warm,) = self._ask([text], 2), self._ask([text], 2)
        self._pairs.append((cold, warm))

    def _decode_side_by_side(self, context: int) -> None:
        text = self._text(context)
        self._ask([text], 2)
        concurrency = 1
        while concurrency <= self._limits.max_concurrency:
            few, many = (self._ask([text] * concurrency, tokens) for tokens in (2, _OUTPUT_TOKENS))
            self._note_decoding(few, many)
            concurrency *= 4

    def _note_decoding(self, few: list[Answer], many: list[Answer]) -> None:
        """Note the time of a step while all sequences decode: what longer answers take beyond short ones.

        When single tokens arrive says less: servers and proxies that are busy send several at once.
        """
        end = min(answer.token_seconds[-1] for answer in many)
        at_once = sum(answer.token_seconds[-1] < 1.5 * end for answer in many)  # Who had to wait takes twice as long.
        self._most_asked, self._most_at_once = max(self._most_asked, len(many)), max(self._most_at_once, at_once)
        if at_once < len(many):
            return
        shortest, longest = (pick(answer.output_tokens for answer in many) for pick in (min, max))
        steps = median(answer.output_tokens for answer in many) - median(answer.output_tokens for answer in few)
        if shortest < longest or steps < _OUTPUT_TOKENS / 4:  # Some ended early, and the others went on without them.
            return
        more = median(answer.token_seconds[-1] for answer in many) - median(answer.token_seconds[-1] for answer in few)
        if more > 0:
            kv_tokens = sum(answer.prompt_tokens + answer.output_tokens - steps / 2 for answer in many)
            self._found.decode_steps.append(DecodeStep(len(many), kv_tokens, more / steps))

    def _note_first_tokens(self) -> None:
        """Note the waits for first tokens, once it is known what the cache does."""
        found = self._found
        reported = [warm.cached_tokens for _, warm in self._pairs if warm.cached_tokens]
        found.reports_cached_tokens = any(warm.cached_tokens is not None for _, warm in self._pairs)
        if found.reports_cached_tokens:
            found.caches_prefixes = bool(reported)
            if len(set(reported)) > 2:
                found.block_size = gcd(*reported)
        else:
            longest = max(cold.prompt_tokens for cold, _ in self._pairs)
            ratios = [w.token_seconds[0] / c.token_seconds[0] for c, w in self._pairs if c.prompt_tokens > longest / 2]
            found.caches_prefixes = median(ratios) < 0.7
        for pair in self._pairs:
            for answer in pair:
                cached = answer.cached_tokens
                if cached is None:
                    # A repeated prompt computes the rest of its last block again, of 16 tokens by vLLM's default.
                    repeated = answer is pair[1] and found.caches_prefixes
                    cached = (answer.prompt_tokens - 1) // 16 * 16 if repeated else 0
                new = answer.prompt_tokens - cached
                found.first_tokens.append(FirstToken(new, cached, answer.token_seconds[0]))
