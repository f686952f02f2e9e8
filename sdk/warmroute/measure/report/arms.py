"""What a report tells of one arm."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.document import ArmPart, Known
from warmroute.measure.report.tally import bands, quantile_points, shares, timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.measure.report.tally import RunTally

_NO_INSTANCES = "The endpoint does not tell which instance served a request."
_NO_CACHED_TOKENS = "The endpoint does not tell cached tokens (vLLM: enable_prompt_tokens_details)."
_NO_SIMULATION = "It was not simulated beforehand."
_NO_CEILING = "It was not computed for this trace."
_NO_OVERFLOW = "The endpoint does not tell where requests overflowed."


def arm_part(name: str, tallies: Sequence[RunTally], telemetry: Sequence[Mapping[str, Any]]) -> ArmPart:
    """An arm, from its compared runs.

    Args:
        name: Of the arm.
        tallies: Its compared runs.
        telemetry: What was observed beside them.
    """
    found = list(tallies)
    told = shares(found)
    answered = sum(tally.answered for tally in found)
    known = sum(share.requests for share in told)
    return ArmPart(
        name=name,
        runs=len(found),
        requests=sum(len(tally.planned) for tally in found),
        failed=sum(tally.failed for tally in found),
        ttft=quantile_points(found),
        instances=told,
        instances_note=_NO_INSTANCES if not told else _partly(known, answered, "told for"),
        hit_rate_ceiling=_observed(telemetry, "ceiling", _NO_CEILING),
        hit_rate_predicted=_observed(telemetry, "predicted", _NO_SIMULATION),
        hit_rate_delivered=_delivered(found, telemetry, answered),
        overflow=_overflow(found, telemetry, answered),
        timeline=timeline(found),
        bands=bands(found),
    )


def _partly(known: int, answered: int, verb: str) -> str:
    return "" if known == answered else f"It is {verb} {known:,} of {answered:,} answers."


def _delivered(tallies: Sequence[RunTally], telemetry: Sequence[Mapping[str, Any]], answered: int) -> Known:
    prompts = sum(tally.prompt_tokens for tally in tallies)
    if prompts == 0:
        return _observed(telemetry, "delivered", _NO_CACHED_TOKENS)
    counted = sum(tally.counted_prompts for tally in tallies)
    note = f"Counted by the server, from {prompts:,} tokens of prompts. {_partly(counted, answered, 'told for')}"
    return Known(value=sum(tally.cached_tokens for tally in tallies) / prompts, note=note.strip())


def _overflow(tallies: Sequence[RunTally], telemetry: Sequence[Mapping[str, Any]], answered: int) -> Known:
    routed = sum(tally.routed for tally in tallies)
    if routed:
        note = f"Told by the endpoint. {_partly(routed, answered, 'told for')}".strip()
        return Known(value=sum(tally.overflowed for tally in tallies) / routed, note=note)
    most = _mean([found.get("overflow") for found in telemetry], "at_most")
    if isfinite(most):
        return Known(
            value=nan, note=f"At most {100 * most:.1f} %, bounded from the outside: the endpoint does not tell."
        )
    return Known(value=nan, note=_NO_OVERFLOW)


def _observed(telemetry: Sequence[Mapping[str, Any]], key: str, otherwise: str) -> Known:
    value = _mean([found.get("hit_rate") for found in telemetry], key)
    return Known(value=value, note="Mean over the runs." if isfinite(value) else otherwise)


def _mean(found: Sequence[Any], key: str) -> float:
    """Of what the runs tell, where every one of them does."""
    values = [one.get(key) if isinstance(one, dict) else None for one in found]
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else nan
