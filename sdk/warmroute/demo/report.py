"""The demo's result in words and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warmroute.demo.summary import Summary
    from warmroute.hosting import EndpointSpec
    from warmroute.routing import PrefixAwareRoutingConfig


def report_rows(summaries: Mapping[str, Summary]) -> list[tuple[str, ...]]:
    """A row for each figure: its name, then its value under each strategy, in the order of the summaries."""
    return [(name, *(figure(summary) for summary in summaries.values())) for name, figure in _FIGURES]


def report_notes(
    summaries: Mapping[str, Summary], spec: EndpointSpec, settings: PrefixAwareRoutingConfig, *, instances: str = ""
) -> list[str]:
    """What was measured, and what to try where the prefix length does not suit the traffic.

    Args:
        summaries: Figures of each strategy; all saw the same requests.
        spec: The endpoint.
        settings: The prefix length and threshold that PREFIX_AWARE ran with.
        instances: What served, where that was not simulated.
    """
    seen = next(iter(summaries.values()))
    variant = spec.variants[0]
    fleet = f"{variant.initial_instance_count} {instances or f'simulated {variant.instance_type}'}"
    beginnings = f"{counted(seen.prefixes, 'distinct beginning')} of {settings.prefix_length:,} bytes"
    notes = [f"{counted(seen.requests, 'request')}, {beginnings}, {fleet}.", "Times are from the planned send time."]
    if seen.prefixes == 1:
        notes.append(
            "All requests begin alike, so PREFIX_AWARE keeps them on one instance up to the threshold. "
            "A longer --prefix-length spreads them."
        )
    elif seen.prefixes == seen.requests:
        notes.append("No two requests begin alike over this length. Try a shorter --prefix-length.")
    return notes


_FIGURES: tuple[tuple[str, Callable[[Summary], str]], ...] = (
    ("time to first token, P50", lambda each: f"{each.ttft_p50_seconds * 1000:,.0f} ms"),
    ("time to first token, P90", lambda each: f"{each.ttft_p90_seconds * 1000:,.0f} ms"),
    ("KV cache hit rate", lambda each: f"{each.cache_hit_rate:.0%}"),
    ("instances that a shared prefix met", lambda each: f"{each.instances_per_prefix:.1f}"),
    ("requests per instance", lambda each: " ".join(f"{share:.0%}" for share in each.instance_shares)),
)
