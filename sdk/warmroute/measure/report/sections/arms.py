"""What each arm did: times to first token, instances, cache hits, the course of a run."""

from __future__ import annotations

from math import fsum, isfinite
from typing import TYPE_CHECKING

from warmroute.measure.report.figures.bars import Bar, Group, bars_height, paint_bars
from warmroute.measure.report.figures.canvas import colour_of
from warmroute.measure.report.figures.distribution import distribution_height, paint_distribution
from warmroute.measure.report.figures.scales import duration
from warmroute.measure.report.figures.timeline import paint_timeline, timeline_height
from warmroute.measure.report.markup import Markup, join, name, tag
from warmroute.measure.report.sections.parts import figure, listed, paragraph, percent, section, table

if TYPE_CHECKING:
    from warmroute.measure.report.document import ArmPart, Band, Report, ServerFigure, TimelinePoint

_MOST_INSTANCES = 24
_TOLD = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)


def times_to_first_token(report: Report) -> Markup:
    """How long requests waited in each arm."""
    key, title = "ttft", "Time to first token"
    if not any(arm.ttft for arm in report.arms):
        return section(key, title, paragraph("Not available: too few requests were measured in steady state."))
    lines = [[f"P{100 * share:g}", *(duration(_at(arm, share)) for arm in report.arms)] for share in _TOLD]
    lines += [["Failed requests", *(f"{arm.failed:,} of {arm.requests:,}" for arm in report.arms)]]
    return section(
        key,
        title,
        figure(
            "distribution",
            "Time to first token by quantile, for each arm",
            "Each line holds all compared runs of an arm in steady state; the band behind it reaches from the lowest "
            "to the highest single run. Lower is better. A line ends where fewer than ten requests lie beyond, or "
            "where failed ones, which count as infinite, begin.",
            lambda canvas: paint_distribution(canvas, report.arms),
            distribution_height,
            table("Time to first token", ["Quantile", *(name(arm.name) for arm in report.arms)], lines),
        ),
    )


def _at(arm: ArmPart, share: float) -> float:
    """A quantile between two of the points; NaN beyond the last."""
    for before, after in zip(arm.ttft, arm.ttft[1:], strict=False):
        if before.probability <= share <= after.probability:
            part = (share - before.probability) / (after.probability - before.probability)
            if not isfinite(after.all_runs):
                return after.all_runs if part else before.all_runs
            return before.all_runs + part * (after.all_runs - before.all_runs)
    return float("nan")


def instances(report: Report) -> Markup:
    """Which instance answered how much."""
    key, title = "instances", "Share of each instance"
    told = [(number, arm) for number, arm in enumerate(report.arms) if arm.instances]
    notes = [join(name(arm.name), f": not available. {arm.instances_note}") for arm in report.arms if not arm.instances]
    notes += [join(name(arm.name), f": {arm.instances_note}") for _, arm in told if arm.instances_note]
    if not told:
        return section(key, title, listed(notes))
    groups = [
        Group(arm.name, colour_of(number), tuple(Bar(*bar) for bar in _busiest(arm)), _even(arm))
        for number, arm in told
    ]
    lines = [
        [
            name(arm.name),
            name(share.instance),
            "" if share.requests is None else f"{share.requests:,}",
            percent(share.share),
        ]
        for _, arm in told
        for share in arm.instances[:200]
    ]
    return section(
        key,
        title,
        figure(
            "shares",
            "Share of the answers that each instance gave, for each arm",
            "Answers of each instance, the busiest first, as a share of those of its fleet; the dashed line is an even "
            "split. Prefix-aware routing trades evenness for cache hits: the share of the busiest instance says how "
            "far.",
            lambda canvas: paint_bars(canvas, groups, whole=False),
            lambda _: bars_height(groups),
            table("Answers by instance", ["Arm", "Instance", "Answers", "Share"], lines, text_columns=2),
        ),
        listed(notes) if notes else None,
    )


def _even(arm: ArmPart) -> float:
    """The share of each instance if all of a fleet had the same; the shares of every fleet add up to one."""
    return fsum(share.share for share in arm.instances) / len(arm.instances)


def _busiest(arm: ArmPart) -> list[tuple[str, float]]:
    found = [(share.instance, share.share) for share in arm.instances[:_MOST_INSTANCES]]
    rest = arm.instances[_MOST_INSTANCES:]
    return found + ([(f"{len(rest)} others", sum(share.share for share in rest))] if rest else [])


def hit_rate(report: Report) -> Markup:
    """How much of the prompts was found in a KV cache, and how often requests overflowed."""
    rows = [
        (arm, (("ceiling", arm.hit_rate_ceiling), ("predicted", arm.hit_rate_predicted),
               ("delivered", arm.hit_rate_delivered), ("overflow", arm.overflow)))
        for arm in report.arms
    ]  # fmt: skip
    groups = [
        Group(
            arm.name,
            colour_of(number),
            tuple(Bar(label, known.value if isfinite(known.value) else None) for label, known in found),
        )
        for number, (arm, found) in enumerate(rows)
    ]
    lines = [[name(arm.name), label, percent(known.value), known.note] for arm, found in rows for label, known in found]
    return section(
        "hits",
        "Cache hits and overflow",
        figure(
            "hit-rate",
            "KV cache hit rate and overflow of each arm",
            "Share of the prompts' tokens that were found in a KV cache: at most (ceiling, one cache without bounds), "
            "as simulated beforehand (predicted), and as the server counted it (delivered). The first two compare "
            "prompts in larger pieces than the server, so what is delivered may lie a little above. Overflow is the "
            "share of requests that were sent away from the instance of their prefix.",
            lambda canvas: paint_bars(canvas, groups, whole=True),
            lambda _: bars_height(groups),
            table("Cache hits and overflow", ["Arm", "Figure", "Share", "What it rests on"], lines, text_columns=4),
        ),
    )


def servers(report: Report) -> Markup:
    """What the servers counted while the runs were on."""
    key, title = "servers", "What the servers counted"
    rows = list(zip(*(arm.servers for arm in report.arms), strict=True))
    lines = [[row[0].label, *(_told(figure) for figure in row)] for row in rows]
    reasons = {
        arm.name: list(dict.fromkeys(one.known.note for one in arm.servers if not isfinite(one.known.value)))
        for arm in report.arms
    }
    notes = [join(name(arm), f": {' '.join(found)}") for arm, found in reasons.items() if found]
    if not any(isfinite(figure.known.value) for row in rows for figure in row):
        return section(key, title, paragraph("Not available."), listed(notes))
    return section(
        key,
        title,
        paragraph("Beside the client's figures, and not judged by: without the network, and with requests of others."),
        table(title, ["Figure", *(name(arm.name) for arm in report.arms)], lines),
        listed(notes) if notes else None,
    )


def _told(figure: ServerFigure) -> str:
    value = figure.known.value
    if figure.unit == "share":
        return percent(value)
    if figure.unit == "seconds":
        return duration(value)
    return f"{value:,.1f}" if isfinite(value) else "not available"


def timeline(report: Report) -> Markup:
    """The course of a run."""
    key, title = "timeline", "The course of a run"
    arms = [arm for arm in report.arms if arm.timeline]
    if not arms:
        return section(key, title, paragraph("Not available: no run is compared."))
    lines = [
        [
            name(arm.name), f"{point.from_seconds:,.1f} s", f"{point.requests:,}", f"{point.failed:,}",
            duration(point.p50_seconds), duration(point.p90_seconds),
            ", ".join(sorted({band.kind for band in arm.bands if _meets(band, point)})) or "steady",
        ]
        for arm in arms
        for point in arm.timeline
    ]  # fmt: skip
    head = ["Arm", "From", "Requests", "Failed", "P50 TTFT", "P90 TTFT", "State"]
    return section(
        key,
        title,
        figure(
            "course",
            "Time to first token over the course of a run, for each arm",
            "All compared runs of an arm on top of each other: P90 as a solid line, P50 as a dashed one, by the time "
            "for which a request was planned. Spans that are cold or scaling in any of the runs are shaded; they do "
            "not count for the verdict. A cross marks failed requests.",
            lambda canvas: paint_timeline(canvas, report.arms),
            lambda _: timeline_height(report.arms),
            table("Time to first token by time of the run", head, lines),
        ),
        _spans(report),
    )


def _spans(report: Report) -> Markup | None:
    """What requests met while caches were cold, while instances came or went, and in steady state."""
    lines = [
        [
            name(arm.name), span.kind, f"{span.runs} of {arm.runs}", f"{span.seconds:,.0f} s", f"{span.requests:,}",
            f"{span.failed:,}", duration(span.p50_seconds), duration(span.p90_seconds),
        ]
        for arm in report.arms
        for span in arm.spans
    ]  # fmt: skip
    if not lines:
        return None
    head = ["Arm", "State", "Runs", "Time", "Requests", "Failed", "P50 TTFT", "P90 TTFT"]
    return join(
        tag("h3", "Cold, scaling and steady apart"),
        table("What requests met in each state, all compared runs of an arm together", head, lines, text_columns=2),
        listed(_scalings(report)) if any(run.windows for run in report.runs) else None,
    )


def _scalings(report: Report) -> list[Markup]:
    """Every change of the instances in a compared run."""
    return [
        join(
            f"Pair {run.pair}, ", name(run.arm),
            f": {window.reason}, from {window.from_seconds:,.0f} to {window.to_seconds:,.0f} s, settling included.",
        )
        for run in report.runs
        for window in run.windows
        if window.kind == "scaling" and run.compared and not run.problems and not run.is_noise
    ]  # fmt: skip


def _meets(band: Band, point: TimelinePoint) -> bool:
    return band.from_seconds < point.to_seconds and point.from_seconds < band.to_seconds
