"""Texts for generated traffic: a small vocabulary and one form of sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_SUBJECTS = "router camera thermostat printer scanner speaker charger dishwasher bicycle keyboard drone"
_VERBS = "resets pairs updates reports stores replaces calibrates connects cools locks unlocks verifies"
_OBJECTS = "firmware battery account warranty filter password sensor cable display network invoice licence"
_ENDINGS = "within a day|after a restart|when the light is green|unless it is offline|before the update"
_PARTS = (_SUBJECTS.split(), _VERBS.split(), _OBJECTS.split(), _ENDINGS.split("|"))


def sentence(rng: random.Random) -> str:
    """One sentence, about 60 characters long."""
    subject, verb, thing, ending = (rng.choice(words) for words in _PARTS)
    return f"The {subject} {verb} its {thing} {ending}."


def sentences(rng: random.Random, count: int) -> str:
    """So many sentences."""
    return " ".join(sentence(rng) for _ in range(count))


def text_of(rng: random.Random, characters: int, lead: str, *, between: str = " ") -> str:
    """A text of exactly so many characters.

    Args:
        rng: Where its sentences come from.
        characters: Its length, at least that of the lead.
        lead: How it begins.
        between: What separates its sentences.
    """
    parts, length = [lead], len(lead)
    while length < characters:
        parts.append(sentence(rng))
        length += len(between) + len(parts[-1])
    return between.join(parts)[:characters]
