"""What traffic looks like to PREFIX_AWARE routing, before any simulation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from warmroute.tune.affinity import SharedTokens
from warmroute.tune.lengths import LengthProfile, profile_length
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.fleet import EngineProfile
    from warmroute.inference_api import Api
    from warmroute.tune.observed import Observed
    from warmroute.tune.trace import Trace
    from warmroute.tune.volatile import VolatileText
    from warmroute.tune.workload import Workload

FEW_REQUESTS = 1_000
"""Requests below which percentiles and reuse say little: 1,000 leave 10 above the P99."""

_SLOT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficProfile:
    """What is known of the traffic without a simulation."""

    requests: int
    sessions: int
    """Conversations; a request of no session counts as one."""

    turns_per_session: float
    seconds: float
    """From the first arrival to the last."""

    requests_per_second: float
    burstiness: float
    """Variance over mean of the arrivals in 10 s: about 1 for independent clients, more where they come in bursts."""

    peak_factor: float
    """The busiest 10 s over the mean."""

    input_tokens: float
    """Mean of the prompts."""

    output_tokens: float
    """Mean of the answers."""

    instances: int
    hit_rate_ceiling: float
    """What one cache without a limit would find, empty at first: no routing finds more of the whole trace."""

    hit_rate_without_affinity: float
    """What RANDOM would find with this many instances and caches without a limit."""

    lengths: Mapping[Api, tuple[LengthProfile, ...]]
    """The ladder of prefix lengths, for each API whose keys the trace tells."""

    common_head: Mapping[Api, tuple[int, int]]
    """Where the beginning ends that all requests share: at least so much, less than so much; 0 where none is seen."""

    volatile: tuple[VolatileText, ...] = ()
    """Text inside the window that probably changes from call to call, where the requests were at hand."""

    notes: tuple[str, ...] = ()
    """What was assumed."""

    cautions: tuple[str, ...] = field(default=())
    """What cannot be concluded from this trace."""


def profile(trace: Trace, work: Workload, *, instances: int, engine: EngineProfile) -> TrafficProfile:
    """Describe traffic.

    Args:
        trace: The requests.
        work: The same as a fleet is asked them.
        instances: Instances of the fleet.
        engine: What its engines are like.
    """
    observed = trace.observed
    shared = SharedTokens(work.requests, block_size=engine.block_size)
    lengths = {
        api: tuple(
            profile_length(observed, work, shared, api, length, observed.keys(api, length), instances=instances)
            for length in _ladder(observed, api)
        )
        for api in observed.apis()
    }
    sessions = len(set(work.sessions))
    variance_over_mean, peak = _burstiness(work)
    return TrafficProfile(
        requests=len(work),
        sessions=sessions,
        turns_per_session=len(work) / sessions,
        seconds=work.seconds,
        requests_per_second=work.requests_per_second,
        burstiness=variance_over_mean,
        peak_factor=peak,
        input_tokens=fmean(request.prompt.tokens for request in work.requests),
        output_tokens=fmean(request.output_tokens for request in work.requests),
        instances=instances,
        hit_rate_ceiling=shared.hit_rate_without_affinity(1),
        hit_rate_without_affinity=shared.hit_rate_without_affinity(instances),
        lengths=lengths,
        common_head={api: _common_head(observed, api) for api in lengths},
        volatile=trace.volatile,
        notes=work.notes,
        cautions=(*trace.cautions, *_cautions(observed, work, sessions)),
    )


def _ladder(observed: Observed, api: Api) -> list[int]:
    """The digest's ladder; of a source without texts, the lengths next to it."""
    known = observed.lengths(api)
    return sorted({min(known, key=lambda length: abs(length - rung)) for rung in observed.ladder})


def _common_head(observed: Observed, api: Api) -> tuple[int, int]:
    """The last length at which all requests have one key, and the first at which they do not."""
    lengths = observed.lengths(api)
    below = 0
    for length in lengths:
        if len(set(observed.keys(api, length))) > 1:
            return below, length
        below = length
    return below, max(lengths) + 1


def _burstiness(work: Workload) -> tuple[float, float]:
    slots = Counter(int(request.arrival_seconds // _SLOT_SECONDS) for request in work.requests)
    whole = int(work.seconds // _SLOT_SECONDS)  # The last slot is not a whole one.
    counts = [count for slot, count in slots.items() if slot < whole]
    if not counts:
        return 1.0, 1.0
    mean = sum(counts) / whole
    return sum(count**2 for count in counts) / whole / mean - mean, max(counts) / mean


def _cautions(observed: Observed, work: Workload, sessions: int) -> list[str]:
    cautions = []
    if len(work) < FEW_REQUESTS:
        cautions.append(
            f"A trace of {counted(len(work), 'request')} is short: rare percentiles and the reuse of prefixes need "
            f"{FEW_REQUESTS:,} or more."
        )
    if all(session is None for session in observed.session):
        cautions.append(
            "The trace tells no sessions: how keys change from turn to turn is unknown, and answers are taken not to "
            "be asked about again."
        )
    elif sessions == 1:
        cautions.append("All requests are of one session: nothing is told about how sessions share an instance.")
    if not observed.apis():
        cautions.append("No routing keys: neither the bodies nor the texts of all requests were known.")
    elif not observed.has_texts:
        cautions.append("The trace has no texts: a prefix length is taken for 4 characters a token, in whole blocks.")
    times = [request.arrival_seconds for request in work.requests]
    gaps = [after - before for before, after in pairwise(times)]
    if gaps and max(gaps) > max(60.0, work.seconds / 4):
        cautions.append(f"Nothing arrives for {max(gaps):,.0f} s in one place: the mean rate says little.")
    return cautions
