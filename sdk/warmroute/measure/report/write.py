"""The files of a report, beside the runs of its comparison."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from warmroute.errors import WarmrouteError
from warmroute.measure.replay.journal import unwritable
from warmroute.measure.report.build import build
from warmroute.measure.report.document import VERSION, Report
from warmroute.measure.report.page import page
from warmroute.measure.report.tally import RunTally

if TYPE_CHECKING:
    from pathlib import Path

    from warmroute.measure.comparison import Comparison

DOCUMENT, PAGE = "report.json", "report.html"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Where a report was written."""

    page: Path
    """The report for people, one self-contained file."""

    document: Path
    """The same for programs; its schema is ``report_schema``."""


def write_report(folder: Path, comparison: Comparison) -> ReportFiles:
    """Write a comparison's report; an earlier one in the folder is replaced.

    Every request is read once, and takes 24 bytes of memory.

    Args:
        folder: Where to write; made if it is not there.
        comparison: What to tell of.

    Raises:
        MissingExtraError: NumPy, SciPy or pyarrow is not installed; or matplotlib, and then the document is written all
            the same.
        WarmrouteError: The folder cannot be written, or the record of a run cannot be read.
    """
    files = _files(folder)
    tallies = {run.key: RunTally.of(run) for run in comparison.runs}
    report = build(comparison, tallies)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(files.document, report.model_dump_json(indent=1) + "\n")
        _replace(files.page, page(report))
    except OSError as error:
        raise unwritable(folder, error) from None
    return files


def render_report(folder: Path) -> Path:
    """Make the page of a report anew, from its ``report.json``.

    Args:
        folder: Of a comparison.

    Returns:
        The page.

    Raises:
        MissingExtraError: matplotlib is not installed.
        WarmrouteError: There is no report, or not one of this version.
    """
    files = _files(folder)
    try:
        text = files.document.read_bytes()
    except OSError as error:
        raise WarmrouteError(
            f"{files.document}: {error.strerror or 'cannot be read'}.", "Give the folder of a comparison."
        ) from None
    try:
        report = Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "document"
        raise WarmrouteError(
            f"{files.document}: not a report of version {VERSION}: {where}: {first['msg']}.",
            "Make it anew with the version of warmroute that wrote it, or compare again.",
        ) from None
    try:
        _replace(files.page, page(report))
    except OSError as error:
        raise unwritable(files.page, error) from None
    except ValueError as error:  # Parts that are each well-formed, and not of one report.
        raise WarmrouteError(
            f"{files.document}: its parts do not fit together: {error}.", "Make it anew: compare again."
        ) from None
    return files.page


def _files(folder: Path) -> ReportFiles:
    return ReportFiles(folder / PAGE, folder / DOCUMENT)


def _replace(path: Path, text: str) -> None:
    """Write a file beside another and let it take its place, so that a full disk spoils nothing."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
