"""Links between the pages lead somewhere; those of the site are checked with their anchors when it is built."""

from __future__ import annotations

import re

import pytest
from pages.blocks import DOCS, PAGES, ROOT


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_what_a_page_links_to_exists(page) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_navigation_has_every_page() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")

    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert pages == set(re.findall(r": ([\w/-]+\.md)$", navigation, re.MULTILINE))
