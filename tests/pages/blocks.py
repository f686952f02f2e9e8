"""The code blocks of the documentation's pages, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("examples/**/*.md")))

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<text>.*?)^(?P=indent)```\s*?$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: Path of its page, from the root of the project.
        line: Line of the page where its text begins.
        language: What the fence names, or nothing.
        title: The file that the reader puts it in, where the fence names one.
        text: What is in it, without the indentation of the fence.
    """

    page: str
    line: int
    language: str
    title: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(
            page=str(page.relative_to(ROOT)),
            line=text.count("\n", 0, found.start("text")) + 1,
            language=found["language"],
            title=found["title"],
            text=re.sub(f"^{found['indent']}", "", found["text"], flags=re.MULTILINE),
        )
        for found in _BLOCK.finditer(text)
    ]


def blocks(language: str) -> list[Block]:
    """The blocks of a language on all pages."""
    return [block for page in PAGES for block in blocks_of(page) if block.language == language]
