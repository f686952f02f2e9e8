"""A trace that can be shared: lengths, times since the start, sessions and blocks under random names; no text.

Format: Bailian's, which AIPerf, vLLM's timed trace and warmroute read: ``{"timestamp": seconds, "chat_id",
"parent_chat_id", "turn", "type": "text", "input_length", "output_length", "hash_ids": [number, …]}``, with blocks of 16
tokens, turns from 1, and a parent of -1 where a session begins. Source: alibaba-edu/qwen-bailian-usagetraces-anon.

Names are BLAKE2b hashes under a key that is drawn for each export and never stored. Without it nobody can check whether
a guessed text is in the trace, and two exports of one trace have no name in common.

What it still reveals: how long each prompt and answer was, in tokens; how much of its beginning a prompt has in common
with others, in steps of 16 tokens, and with how many; how many sessions there were, with how many turns; and the rhythm
of the traffic, though not its date. Who took part may recognise requests of their own by time and length, and with them
the blocks that these share with others. Rounded times blur the rhythm; nothing else is blurred.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.bodies.blocks import name_of
from warmroute.traffic.writers.lengths import answer_tokens, prompt_blocks
from warmroute.traffic.writers.line_writer import LineWriter, json_line, with_first_member

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 16
NO_PARENT = -1


class AnonymisedWriter(LineWriter):
    """Lines of an anonymised trace; every writer has a key of its own."""

    has_times: ClassVar[bool] = True
    needs_answer_length: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"arrival times", "sessions", "block hashes", "answer lengths"})

    def __init__(self) -> None:
        self._keyed = hashlib.blake2b(digest_size=8, key=secrets.token_bytes(32))
        self._count = 0
        self._last: dict[int, tuple[int, int]] = {}
        """Chat and turn of each session's last request, by the session's name."""

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Lengths and renamed blocks of a request, and where it stands in its session."""
        tokens, names = prompt_blocks(request, BLOCK_TOKENS, adapted)
        answer = answer_tokens(request, adapted)
        chat, parent, turn = self._place(request)
        return json_line(
            {
                "chat_id": chat,
                "parent_chat_id": parent,
                "turn": turn,
                "type": "text",
                "input_length": tokens,
                "output_length": answer,
                "hash_ids": [self._name(b"block %x" % name) for name in names],
            }
        )

    def with_time(self, line: bytes, seconds: float) -> bytes:
        """The line with its time in seconds, to the millisecond."""
        return with_first_member(line, "timestamp", round(seconds, 3))

    def _place(self, request: TrafficRequest) -> tuple[int, int, int]:
        self._count += 1
        chat = self._name(b"chat %x" % self._count)
        if not request.session:
            return chat, NO_PARENT, 1
        session = self._name(b"session " + request.session.encode("utf-8", "surrogatepass"))
        parent, before = self._last.get(session, (NO_PARENT, 0))
        self._last[session] = chat, before + 1
        return chat, parent, before + 1

    def _name(self, value: bytes) -> int:
        keyed = self._keyed.copy()
        keyed.update(value)
        return name_of(keyed.digest())
