"""The page: one file, without a script and without anything from elsewhere."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from warmroute.measure.report.markup import Markup, join, name, tag
from warmroute.measure.report.sections import arms, record, verdict
from warmroute.measure.report.sections.parts import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.report.document import Report

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The browser itself refuses scripts and requests, should a name ever become markup."""


def page(report: Report) -> str:
    """The report as HTML, the same bytes for the same document.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    candidates = [verdict.candidate for verdict in report.verdicts]
    title = f"{', '.join(candidates) or 'nothing'} against {report.baseline}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{title} · warmroute"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(files(__package__).joinpath("page.css").read_text(encoding="utf-8"))),
    )
    content = [
        tag(
            "header",
            tag("p", "warmroute comparison", class_="kind"),
            tag("h1", *_question(candidates, report.baseline)),
            *(verdict.headline(number, one, report) for number, one in enumerate(report.verdicts, 1)),
            _contents(report),
        ),
        tag(
            "main",
            *(verdict.candidate(number, one, report) for number, one in enumerate(report.verdicts, 1)),
            arms.times_to_first_token(report),
            arms.instances(report),
            arms.hit_rate(report),
            arms.timeline(report),
            arms.servers(report),
            record.runs(report),
            record.threats(report),
            record.repeat(report),
        ),
        record.footer(report),
    ]
    return f"<!doctype html>\n{tag('html', head, tag('body', *content), lang='en')}\n"


def _question(candidates: Sequence[str], baseline: str) -> tuple[str, ...]:
    if not candidates:
        return "Nothing was compared with ", name(baseline), " yet"
    verb = "Does " if len(candidates) == 1 else "Do "
    return verb, names(list(map(name, candidates))), " pay off against ", name(baseline), "?"


def _contents(report: Report) -> Markup:
    links: list[tuple[str, str]] = [
        *((f"candidate-{number}", name(one.candidate)) for number, one in enumerate(report.verdicts, 1)),
        ("ttft", "Time to first token"),
        ("instances", "Instances"),
        ("hits", "Cache hits"),
        ("timeline", "Timeline"),
        ("servers", "Servers"),
        ("runs", "Runs"),
        ("threats", "What may mislead"),
        ("repeat", "How to repeat it"),
    ]
    items = [tag("li", tag("a", join(text), href=f"#{key}")) for key, text in links]
    return tag("nav", tag("ul", *items), aria_label="Contents")
