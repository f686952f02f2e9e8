"""Who rents the assistant of the generated traffic, and what all their requests begin with."""

from __future__ import annotations

import random
from dataclasses import dataclass

from warmroute.traffic.sample.sentences import text_of

SYSTEM_CHARACTERS = 2_800
"""Length of the system prompt that all tenants share, in characters."""

DOCUMENT_CHARACTERS = range(9_000, 14_000)
"""Lengths of the tenants' handbooks, in characters."""

TENANTS = 160
PARAMETERS_FIRST_EVERY = 4
TICKET_CHARACTERS = 14
"""Characters within which the first messages of two conversations part: "Ticket " and a number of seven digits."""

_LETTERS_EVERY = 5
"""Every so many tenants write with letters that take two bytes."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A company that rents the assistant."""

    number: int
    """From 0, the largest first."""

    system_text: str
    """The system message of its requests: the shared prompt, and its handbook."""

    parameters_first: bool
    """Whether its client writes sampling parameters before the messages."""

    @property
    def shared_characters(self) -> int:
        """How far the texts of all of its requests are equal."""
        return len(self.system_text)


def tenants(seed: int) -> list[Tenant]:
    """All tenants; the same for a seed."""
    rng = random.Random(seed)  # noqa: S311 - text, not secrets.
    rules = text_of(rng, SYSTEM_CHARACTERS - len(_CLOSE), "You answer questions about devices. Rules:", between="\n- ")
    system = rules + _CLOSE
    return [
        Tenant(number, system + _handbook(rng, number), parameters_first=number % PARAMETERS_FIRST_EVERY == 3)
        for number in range(TENANTS)
    ]


_CLOSE = "\n\nHandbook "


def _handbook(rng: random.Random, number: int) -> str:
    company = "Möller & Söhne" if number % _LETTERS_EVERY == 0 else "Miller & Sons"
    return text_of(rng, rng.choice(DOCUMENT_CHARACTERS), f"{number:03d}, for customers of {company} {number}.")
