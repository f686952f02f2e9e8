"""From observed traffic to a prefix length, a threshold, and what to expect of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.tune.affinity import SharedTokens
from warmroute.tune.candidates import Lengths
from warmroute.tune.confirmation import Confirmation
from warmroute.tune.explanation import cautions, verdict, why
from warmroute.tune.profile import profile
from warmroute.tune.result import Recommendation, TuningResult
from warmroute.tune.search import Search
from warmroute.tune.trials import Trials
from warmroute.tune.workload import Workload, busiest, halves, workload
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.fleet import FleetConfig
    from warmroute.inference_api import Api
    from warmroute.tune.observed import Observed
    from warmroute.tune.trace import Trace

LEAST_REQUESTS = 100
"""Requests below which nothing is concluded: half of them would choose, half confirm."""

BUDGET = 500_000
"""Requests to simulate in all, about a minute."""

_RUNS = 60
"""Runs of the whole trace that a tuning amounts to."""


def tune(
    trace: Trace,
    fleet: FleetConfig,
    *,
    api: Api | None = None,
    requests_per_second: float | None = None,
    slo_ttft_p90_seconds: float | None = None,
    budget: int = BUDGET,
    seed: int = 0,
    on_step: Callable[[str], None] = lambda _: None,
) -> TuningResult:
    """Choose a prefix length and a threshold in simulation, on the first half of a trace, and confirm on the second.

    Args:
        trace: The requests.
        fleet: The fleet, its routing aside: instances, copies, engines.
        api: The API that the requests come by; None for the one that the trace tells.
        requests_per_second: Mean rate of arrival; None for that of the trace.
        slo_ttft_p90_seconds: P90 of the time to first token that is wanted.
        budget: Requests to simulate in all, about; a longer trace is cut to its busiest part.
        seed: Of every chance; the same gives the same result.
        on_step: Is told what begins.

    Raises:
        WarmrouteError: A single target, a trace without keys or too short to conclude from, or no such API in it.
    """
    observed, instances, engine = trace.observed, fleet.instances, fleet.profile
    targets = instances * fleet.copies_per_instance
    if targets < 2:
        raise WarmrouteError(
            "Prefix-aware routing acts only where two or more instances can serve a request, and there is one.",
            "Give two instances or more.",
        )
    api = api_of(observed, api)
    on_step("the workload")
    whole = workload(observed, instances=instances, profile=engine, requests_per_second=requests_per_second, seed=seed)
    if len(whole) < LEAST_REQUESTS:
        raise WarmrouteError(
            f"A trace of {counted(len(whole), 'request')} is too short to conclude from.",
            f"Give {LEAST_REQUESTS} at the very least, better thousands; `warmroute profile` describes what there is.",
        )
    work = busiest(whole, max(LEAST_REQUESTS, budget // _RUNS))
    searched, middle = halves(work)
    shared = SharedTokens(searched.requests, block_size=engine.block_size)
    lengths = Lengths(observed, searched, shared, api, instances=targets, finer=trace.finer)
    trials = Trials(work, fleet, lengths)
    described = profile(trace, work, instances=targets, engine=engine)
    found = Search(
        trials,
        [each.prefix_length for each in described.lengths[api]],
        instances=instances,
        to_seconds=middle,
        slo_ttft_p90_seconds=slo_ttft_p90_seconds,
        seed=seed,
        on_step=on_step,
    ).run()
    on_step("the rest of the trace, under every strategy")
    chosen = found.prefix_length, found.concurrency_threshold
    shared = SharedTokens(work.requests, block_size=engine.block_size, from_seconds=middle)
    confirmed = lengths.over(work, shared)
    confirmed.measure([chosen[0]])
    confirmation = Confirmation(trials, confirmed, chosen, instances=instances, from_seconds=middle, seed=seed)
    strategies = confirmation.strategies()
    scale_out, new_share = confirmation.scale_out()
    on_step("other values")
    other_lengths = confirmation.other_lengths()
    other_thresholds = confirmation.other_thresholds(found.thresholds)
    judged, strategy, reason = verdict(strategies, is_safe=found.is_safe)
    aware = strategies["PREFIX_AWARE"]
    result = TuningResult(
        recommendation=Recommendation(
            routing_strategy=strategy, prefix_length=chosen[0], concurrency_threshold=chosen[1]
        ),
        verdict=judged,
        verdict_reason=reason,
        why=why(described, api, lengths, chosen[0], found.flat_lengths),
        api=api,
        flat_lengths=found.flat_lengths,
        flat_thresholds=found.flat_thresholds,
        hit_rate_ceiling=shared.hit_rate_without_affinity(1),
        hit_rate_predicted=confirmed.expected(chosen[0]),
        hit_rate_without_affinity=confirmed.without_affinity,
        strategies=strategies,
        scale_out=scale_out,
        new_instance_share=new_share,
        other_lengths=other_lengths,
        other_thresholds=other_thresholds,
        margin=found.margin,
        slo_ttft_p90_seconds=slo_ttft_p90_seconds,
        meets_slo=None if slo_ttft_p90_seconds is None else aware.ttft_p90 <= slo_ttft_p90_seconds,
        profile=described,
        instances=instances,
        seed=seed,
        simulated_requests=trials.simulated_requests,
        notes=(*described.notes, *_cut_note(whole, work)),
        cautions=(),
    )
    return replace(result, cautions=(*described.cautions, *cautions(result)))


def api_of(observed: Observed, wanted: Api | None) -> Api:
    """The API whose keys are compared: the wanted one, or the one that the trace tells.

    Raises:
        WarmrouteError: The trace does not tell its keys.
    """
    known = observed.apis()
    if wanted is None and known:
        told = [api for api in known if api in set(observed.api)]
        return (told or list(known))[0]
    if wanted in known:
        return wanted
    what = "bodies" if wanted == "invoke" else "texts" if wanted == "openai" else "bodies or texts"
    raise WarmrouteError(
        f"The trace does not tell the {what} of all requests, so their routing keys are unknown.",
        "Give a trace that does"
        + (
            f', or use the API "{known[0]}", whose keys it tells.' if known else ", for example SageMaker Data Capture."
        ),
    )


def _cut_note(whole: Workload, work: Workload) -> tuple[str, ...]:
    if len(work) == len(whole):
        return ()
    return (
        f"The busiest {len(work):,} of {len(whole):,} requests in a row were simulated; a larger budget takes more.",
    )
