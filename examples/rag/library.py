"""Markdown documents and their passages, found by the words of a question; yours are in a vector store."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Passage(NamedTuple):
    """A paragraph of a document."""

    document: str
    position: int
    text: str


class Library:
    """The documents of a folder.

    Args:
        folder: Holds Markdown files.
    """

    def __init__(self, folder: Path) -> None:
        self.documents = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))}
        self.passages = [
            Passage(name, position, text)
            for name, document in self.documents.items()
            for position, text in enumerate(document.split("\n\n"))
            if len(text) > 100  # No headings.
        ]
        self._words = [_words(passage.text) for passage in self.passages]
        self._frequency = Counter(word for words in self._words for word in words)

    def search(self, question: str, most: int = 4) -> list[Passage]:
        """The passages that have the rarest words of a question among few others, best first."""
        asked = _words(question)
        scores = [sum(map(self._weight, asked & words)) / math.sqrt(len(words) + 1) for words in self._words]
        best = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
        return [self.passages[number] for number in best[:most]]

    def _weight(self, word: str) -> float:
        return math.log(len(self.passages) / self._frequency[word])


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))
