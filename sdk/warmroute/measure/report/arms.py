"""What a report tells of one arm."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.document import ArmPart, Known
from warmroute.measure.report.servers import hit_rate, overflow, server_figures, server_shares
from warmroute.measure.report.spans import bands, span_figures
from warmroute.measure.report.tally import quantile_points, shares, timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.measure.report.tally import RunTally

_NO_INSTANCES = "The endpoint does not tell which instance served a request."
_SERVERS_SHARES = "Answers do not name their instance; the shares are those that the servers counted."


def arm_part(name: str, tallies: Sequence[RunTally], telemetry: Sequence[Mapping[str, Any]]) -> ArmPart:
    """An arm, from its compared runs.

    Args:
        name: Of the arm.
        tallies: Its compared runs.
        telemetry: What was observed beside them, as values of JSON.
    """
    answered = sum(tally.answered for tally in tallies)
    named, counted = shares(tallies), server_shares(telemetry)
    known = sum(share.requests or 0 for share in named)
    note = _partly(known, answered) if named else _SERVERS_SHARES if counted else _NO_INSTANCES
    return ArmPart(
        name=name,
        runs=len(tallies),
        requests=sum(len(tally.planned) for tally in tallies),
        failed=sum(tally.failed for tally in tallies),
        ttft=quantile_points(tallies),
        instances=named or counted,
        instances_note=note,
        hit_rate_ceiling=hit_rate(telemetry, "ceiling"),
        hit_rate_predicted=hit_rate(telemetry, "predicted"),
        hit_rate_delivered=_delivered(tallies, telemetry, answered),
        overflow=_overflow(tallies, telemetry, answered),
        servers=server_figures(telemetry),
        timeline=timeline(tallies),
        bands=bands(tallies),
        spans=span_figures(tallies),
    )


def _partly(known: int, answered: int) -> str:
    return "" if known == answered else f"It is told for {known:,} of {answered:,} answers."


def _delivered(tallies: Sequence[RunTally], telemetry: Sequence[Mapping[str, Any]], answered: int) -> Known:
    """By the answers to our own requests; the servers' counters hold those of others too."""
    prompts = sum(tally.prompt_tokens for tally in tallies)
    if prompts == 0:
        counted = hit_rate(telemetry, "delivered")
        if not isnan(counted.value):
            return counted
        asked = "Answers do not tell cached tokens (vLLM: enable_prompt_tokens_details)."
        return Known(value=counted.value, note=f"{asked} {counted.note}")
    told = sum(tally.counted_prompts for tally in tallies)
    note = f"Told by the answers, over {prompts:,} tokens of prompts. {_partly(told, answered)}"
    return Known(value=sum(tally.cached_tokens for tally in tallies) / prompts, note=note.strip())


def _overflow(tallies: Sequence[RunTally], telemetry: Sequence[Mapping[str, Any]], answered: int) -> Known:
    routed = sum(tally.routed for tally in tallies)
    if routed == 0:
        return overflow(telemetry)
    note = f"Told by the answers. {_partly(routed, answered)}".strip()
    return Known(value=sum(tally.overflowed for tally in tallies) / routed, note=note)
