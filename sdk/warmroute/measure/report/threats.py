"""What may make a verdict wrong, or narrower than it looks: told from the runs, not from a list."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from math import isfinite
from typing import TYPE_CHECKING

from warmroute.measure.report.document import Threat
from warmroute.measure.run import SIMULATED
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warmroute.measure.report.document import (
        ArmPart,
        ComparedFigure,
        CriteriaPart,
        NoisePart,
        RunPart,
        VerdictPart,
    )

_COMFORTABLE_PAIRS = 8
_NOTICEABLE_LAG_SECONDS = 0.010
_A_DAY = timedelta(hours=24)


def threats(
    verdicts: Sequence[VerdictPart],
    arms: Sequence[ArmPart],
    runs: Sequence[RunPart],
    aa: NoisePart | None,
    criteria: CriteriaPart,
) -> tuple[Threat, ...]:
    """Everything that applies, the gravest first."""
    compared = [run for run in runs if run.compared and not run.problems and not run.is_noise]
    found = [
        *_of_machines(verdicts, compared),
        *_of_engines(compared),
        *_of_instances(compared),
        *_of_pairs(verdicts, runs),
        *_of_noise(verdicts, aa),
        *_of_looks(verdicts, criteria),
        *_of_failures(arms),
        *_of_figures(verdicts),
        *_of_client(compared),
        *_of_what_is_not_told(arms),
        *_of_time(compared),
    ]
    return tuple(Threat(title=title, text=text) for title, text in found)


def _of_machines(verdicts: Sequence[VerdictPart], runs: Sequence[RunPart]) -> Iterator[tuple[str, str]]:
    if any(verdict.confounded for verdict in verdicts):
        yield (
            "Machines and routing cannot be told apart",
            "Each arm ran on machines of its own and kept them, so a difference may be theirs.",
        )
    endpoints: dict[str, set[str]] = {}
    for run in runs:
        endpoints.setdefault(run.arm, set()).add(run.endpoint_arn)
    if len(endpoints) > 1 and not set.intersection(*endpoints.values()):
        yield (
            "Each arm has an endpoint of its own",
            "Whatever else differs between the endpoints than their routing is in the result too.",
        )


def _of_engines(runs: Sequence[RunPart]) -> Iterator[tuple[str, str]]:
    engines = {run.arm: run.engine for run in runs if run.engine}
    if any(engine.startswith(SIMULATED) for engine in engines.values()):
        yield (
            "Engines were simulated",
            (
                "Times and cache hits are those of a model of Llama 3.1 70B on eight H100, whatever the model and the "
                "instances of the spec. They say what to expect; whether it comes so, a comparison on SageMaker says."
            ),
        )
    if len(set(engines.values())) > 1:
        told = "; ".join(f"{arm}: {engine}" for arm, engine in engines.items())
        yield "Arms have different engines", f"What differs may be theirs, and not that of the routing. {told}."


def _of_instances(runs: Sequence[RunPart]) -> Iterator[tuple[str, str]]:
    scaled = [run for run in runs if any(window.kind == "scaling" for window in run.windows)]
    if scaled:
        counts = Counter(run.arm for run in scaled)
        named = ", ".join(f"{arm}: {count}" for arm, count in counts.items())
        yield (
            "Instances came or went",
            (
                f"Runs in which they did: {named}. Those spans are reported apart; what is left may hold several sizes "
                "of the fleet."
            ),
        )
    sizes: dict[int, set[int]] = {}
    for run in runs:
        if run.instances is not None:
            sizes.setdefault(run.pair, set()).add(run.instances)
    uneven = [str(pair) for pair, found in sorted(sizes.items()) if len(found) > 1]
    if uneven:
        yield (
            "Arms had fleets of different sizes",
            f"The runs of one pair began with different numbers of instances. Pairs: {', '.join(uneven)}.",
        )


def _of_pairs(verdicts: Sequence[VerdictPart], runs: Sequence[RunPart]) -> Iterator[tuple[str, str]]:
    few = [verdict for verdict in verdicts if verdict.pairs < _COMFORTABLE_PAIRS]
    if few:
        counts = [f"{verdict.candidate}: {verdict.pairs}" for verdict in few]
        valid = "; ".join(counts) if len(verdicts) > 1 else str(few[0].pairs)
        yield (
            "Few pairs",
            f"Valid pairs: {valid}. The interval takes their number into account, but one unusual run weighs much.",
        )
    sentences = list(dict.fromkeys(sentence for verdict in verdicts for sentence in verdict.left_out))
    if sentences:
        yield "Pairs left out", _some(sentences)
    noise = [f"Pair {run.pair}, {run.arm}: {' '.join(run.problems)}" for run in runs if run.is_noise and run.problems]
    if noise:
        yield "Runs of the baseline against itself left out", _some(noise)


def _some(sentences: Sequence[str], most: int = 8) -> str:
    rest = f" And {len(sentences) - most} more." if len(sentences) > most else ""
    return " ".join(sentences[:most]) + rest


def _of_noise(verdicts: Sequence[VerdictPart], aa: NoisePart | None) -> Iterator[tuple[str, str]]:
    if aa is None:
        yield (
            "Noise between runs was not measured",
            (
                "There are no usable runs of the baseline against itself (A/A), so whether the pairs are enough for "
                "the gain in question was not known beforehand."
            ),
        )
        return
    fewest = min((verdict.pairs for verdict in verdicts), default=0)
    if aa.pairs_needed is None or aa.pairs_needed > fewest:
        needed = "more pairs than anybody runs" if aa.pairs_needed is None else counted(aa.pairs_needed, "pair")
        yield (
            "Noise between runs is large",
            (
                f"{aa.label} of the baseline alone differs by {100 * aa.deviation:.1f} % between runs. To find a gain "
                f"of {100 * aa.gain:g} % takes {needed}; there are {fewest}."
            ),
        )


def _of_looks(verdicts: Sequence[VerdictPart], criteria: CriteriaPart) -> Iterator[tuple[str, str]]:
    if len(verdicts) > criteria.verdicts:
        yield (
            "More verdicts than declared",
            (
                f"{len(verdicts)} verdicts share a chance of a false finding declared for {criteria.verdicts}: it "
                f"may be up to {100 * criteria.alpha * len(verdicts) / criteria.verdicts:.3g} % in all."
            ),
        )


def _of_failures(arms: Sequence[ArmPart]) -> Iterator[tuple[str, str]]:
    counts = [f"{arm.name}: {arm.failed:,} of {arm.requests:,}" for arm in arms if arm.failed]
    if counts:
        yield (
            "Requests failed",
            f"{'; '.join(counts)}. They count as infinitely slow, and make a quantile infinite where they reach it.",
        )


def _of_figures(verdicts: Sequence[VerdictPart]) -> Iterator[tuple[str, str]]:
    reasons: dict[str, list[str]] = {}
    for figure in _figures(verdicts):
        if figure.unmeasured and figure.label not in reasons.setdefault(figure.unmeasured, []):
            reasons[figure.unmeasured].append(figure.label)
    for reason, labels in reasons.items():
        yield f"Not known: {', '.join(labels)}", reason


def _figures(verdicts: Sequence[VerdictPart]) -> Iterator[ComparedFigure]:
    for verdict in verdicts:
        yield verdict.primary
        yield from (guard.compared for guard in verdict.guards)
        yield from verdict.secondaries


def _of_client(runs: Sequence[RunPart]) -> Iterator[tuple[str, str]]:
    lags = [run.lag_p99_seconds for run in runs if isfinite(run.lag_p99_seconds)]
    if lags and max(lags) > _NOTICEABLE_LAG_SECONDS:
        yield (
            "The client lagged a little",
            (
                f"P99 of the send lag is up to {1e3 * max(lags):,.0f} ms, within the limit. Times count from the "
                "planned send, so the lag is part of them."
            ),
        )


def _of_what_is_not_told(arms: Sequence[ArmPart]) -> Iterator[tuple[str, str]]:
    if arms and not any(isfinite(arm.overflow.value) for arm in arms):
        notes = " ".join(dict.fromkeys(arm.overflow.note for arm in arms))
        yield "How often requests overflowed is not known", notes
    if arms and not any(isfinite(arm.hit_rate_delivered.value) for arm in arms):
        yield (
            "Cache hits were not seen",
            f"{arms[0].hit_rate_delivered.note} Whether a gain comes from the cache cannot be told.",
        )


def _of_time(runs: Sequence[RunPart]) -> Iterator[tuple[str, str]]:
    if not runs:
        return
    begin = min(run.started for run in runs)
    end = max(run.started + timedelta(seconds=run.duration_seconds) for run in runs)
    when = f"from {begin:%d %b %Y, %H:%M} to {end:%d %b %Y, %H:%M} {begin:%Z}".rstrip()
    parts = len({run.part for run in runs})
    sent = "The runs send the same traffic" if parts == 1 else f"The pairs send {parts} parts of one trace in turn"
    part = " Other times of the day are not covered." if end - begin < _A_DAY else ""
    yield (
        "One trace, one span of time",
        f"{sent}, {when}.{part} Other traffic, models or fleets may behave differently.",
    )
