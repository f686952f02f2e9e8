"""Small traffic whose right answer is known by construction, as a digest would tell it."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from warmroute.traffic.digest.columns import CHUNK_CHARACTERS, LADDER
from warmroute.traffic.synthetic import poisson_arrivals
from warmroute.tune import Observed

NAMES = [name for name in Observed.__dataclass_fields__ if name not in {"ladder", "chunk_characters"}]


def name(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)


def letters(seed: object, length: int) -> str:
    """Text that is the same for the same seed, and shares no beginning with that of another."""
    head = hashlib.sha256(str(seed).encode()).hexdigest()
    return (head * (length // len(head) + 1))[:length]


def row(text: str | None, **told: Any) -> dict[str, Any]:
    """One row of a digest, from what a record would tell."""
    body = told.pop("body", None)
    session = told.pop("session", None)
    values = dict.fromkeys(NAMES) | {"request": "", "root": 0, "chunks": [], **told}
    if session is not None:
        values["session"] = name(str(session))
    if text is not None:
        values["text_characters"] = len(text)
        values["text_keys"] = [name(text[:length]) for length in LADDER]
        ends = range(CHUNK_CHARACTERS, len(text) + 1, CHUNK_CHARACTERS)
        values["chunks"] = [name(text[end - CHUNK_CHARACTERS : end]) for end in ends]
    if body is not None:
        values["body_bytes"] = len(body)
        values["byte_keys"] = [name(body[:length]) for length in LADDER]
    return values


def observed(rows: list[dict[str, Any]]) -> Observed:
    columns = {column: [each[column] for each in rows] for column in NAMES}
    return Observed(**columns, ladder=LADDER, chunk_characters=CHUNK_CHARACTERS)


def documents(
    *,
    head: int,
    document: int,
    requests: int,
    documents: int,
    rate: float,
    question: int = 600,
    output_tokens: int = 60,
    seed: int = 1,
) -> Observed:
    """Questions about documents under one head that all share: right is a length past the head, within the document."""
    chance = random.Random(seed)
    times = list(poisson_arrivals(rate, 2 * requests / rate, seed=seed))[:requests]
    rows = []
    for number, at in enumerate(times):
        about = chance.randrange(documents)
        text = letters("head", head) + letters(f"document {about}", document) + letters(f"question {number}", question)
        rows.append(row(text, arrival_seconds=at, session=number, turn=0, output_tokens=output_tokens))
    return observed(rows)


def conversations(
    *, head: int, turn: int, turns: int, sessions: int, rate: float, output_tokens: int = 60, seed: int = 1
) -> Observed:
    """Conversations that grow under one head, several at a time."""
    chance = random.Random(seed)
    rows = []
    for session, start in enumerate(
        list(poisson_arrivals(rate / turns, 9 * sessions * turns / rate, seed=seed))[:sessions]
    ):
        at, text = start, letters("head", head)
        for number in range(turns):
            text += letters(f"{session}/{number}", turn)
            rows.append(row(text, arrival_seconds=at, session=session, turn=number, output_tokens=output_tokens))
            text += letters(f"{session}/{number}/answer", output_tokens * 4)
            at += 2 + chance.expovariate(1)
    return observed(sorted(rows, key=lambda each: each["arrival_seconds"]))


def unique(*, requests: int, length: int, rate: float, seed: int = 1) -> Observed:
    """Prompts that share nothing."""
    times = list(poisson_arrivals(rate, 2 * requests / rate, seed=seed))[:requests]
    return observed(
        [
            row(letters(number, length), arrival_seconds=at, session=number, turn=0, output_tokens=60)
            for number, at in enumerate(times)
        ]
    )
