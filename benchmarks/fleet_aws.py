"""A fleet against the figures that AWS announced for PREFIX_AWARE: 7 ml.p5.48xlarge, Llama 3.1 70B.

AWS did not publish its workloads' parameters. These are two of many that fit, both closed loops:

Long context: 60 clients that think 1.9 s. A document of 8,000 tokens is asked about 5 or 6 times while 2 or 3
documents are current; questions of 120 tokens, answers of 190, both exponential. Batches of 16,384 tokens,
threshold 24.

ShareGPT-like: 12 clients that do not think. Conversations of 2 to 10 turns under a common beginning of 100 tokens, up
to 4,096 tokens; turns of 200 tokens and answers of 304, both log-normal. Prefix length 1,464, threshold 64.
"""

import random
from collections.abc import Callable, Iterator
from math import log
from statistics import fmean

from benchmarks.fleet_report import band
from warmroute.fleet import ClosedLoop, EngineProfile, FleetConfig, FleetRequest, Prompt, Summary, simulate
from warmroute.routing import RoutingConfig

SEEDS = (11, 12, 13)
HOUR = 3_600
Session = tuple[FleetRequest, ...]


def run() -> None:
    """Every figure in the published band; means of 3 seeds, an hour each."""
    print("AWS's announcement, long context, RANDOM to PREFIX_AWARE")
    before, after = _compare(long_context, clients=60, think_seconds=1.9, threshold=24, max_num_batched_tokens=16_384)
    _changes(before, after, p50=(-77, -71), p90=(-37, -33), throughput=(15, 16))
    band("  hit rate of RANDOM, %", 100 * _mean(before, "hit_rate"), "~25", 22, 28, form=".1f")
    band("  hit rate of PREFIX_AWARE, %", 100 * _mean(after, "hit_rate"), "up to 82", 80, 84, form=".1f")
    band("  P50 of RANDOM, ms", 1_000 * fmean(each.ttft.p50 for each in before), "up to 280", 63, 280, form=".0f")
    band("  P50 of PREFIX_AWARE, ms", 1_000 * fmean(each.ttft.p50 for each in after), "from 63", 63, 280, form=".0f")
    _shares(after)
    print("AWS's announcement, ShareGPT-like, RANDOM to PREFIX_AWARE")
    before, after = _compare(conversations, clients=12, think_seconds=0, threshold=64, max_num_batched_tokens=8_192)
    _changes(before, after, p50=(-16, -13), p90=(-37, -24), throughput=(1.7, 2.0))
    band("  hit rate of RANDOM, %", 100 * _mean(before, "hit_rate"), "~30", 27, 33, form=".1f")
    band("  hit rate of PREFIX_AWARE, %", 100 * _mean(after, "hit_rate"), "~80", 77, 83, form=".1f")
    _shares(after)


def long_context(seed: int) -> Iterator[Session]:
    """Questions about documents, each a session of its own."""
    chance = random.Random(seed)
    current: list[list[int]] = []
    documents = number = 0
    while True:
        while len(current) < 2 + (chance.random() < 0.7):
            current.append([documents, 5 + (chance.random() < 0.65)])
            documents += 1
        document = chance.choice(current)
        document[1] -= 1
        if not document[1]:
            current.remove(document)
        number += 1
        tokens = 8_001 + int(chance.expovariate(1 / 120))
        answer = 1 + int(chance.expovariate(1 / 190))
        prompt = Prompt(tokens, (document[0], ("question", number)), (500, max(501, tokens // 16)))
        yield (FleetRequest(0.0, prompt, answer, str(document[0]).encode()),)


def conversations(seed: int) -> Iterator[Session]:
    """Conversations whose next turn begins with the last one and its answer."""
    chance = random.Random(seed)
    number = 0
    while True:
        turns = 2
        while turns < 10 and chance.random() < 1 - 1 / 4.2:
            turns += 1
        requests: list[FleetRequest] = []
        tokens, segments, ends = 100, ["head"], [100 // 16]
        for turn in range(turns):
            asked, answered = _log_normal(chance, 200, 1.3), _log_normal(chance, 304, 0.8)
            if tokens + asked + answered > 4_096:
                break
            for part, length in (("user", asked), ("answer", answered)):
                tokens += length
                if tokens // 16 > ends[-1]:
                    segments.append(f"{number}/{turn}/{part}")
                    ends.append(tokens // 16)
            prompt = Prompt(tokens - answered, tuple(segments), tuple(ends))
            # 1,464 characters are 366 tokens; a shorter text is keyed as a whole, and its next turn differs.
            key = f"{number}" if prompt.tokens >= 366 else f"{number}/{turn}"
            requests.append(FleetRequest(0.0, prompt, answered, key.encode()))
        number += 1
        if len(requests) > 1:
            yield tuple(requests)


def hour(
    sessions: Iterator[Session],
    *,
    clients: int,
    think_seconds: float,
    routing: RoutingConfig,
    max_num_batched_tokens: int,
    seed: int,
) -> Summary:
    """What an hour of a workload finds."""
    loop = ClosedLoop(sessions=sessions, clients=clients, think_seconds=think_seconds, duration_seconds=HOUR)
    profile = EngineProfile(max_num_batched_tokens=max_num_batched_tokens)
    return simulate(loop, FleetConfig(instances=7, routing=routing, profile=profile), seed=seed).summary()


def _compare(
    sessions: Callable[[int], Iterator[Session]],
    *,
    clients: int,
    think_seconds: float,
    threshold: int,
    max_num_batched_tokens: int,
) -> tuple[list[Summary], list[Summary]]:
    aware = RoutingConfig.prefix_aware(prefix_length=1_464, concurrency_threshold=threshold)
    before, after = (
        [
            hour(
                sessions(seed),
                clients=clients,
                think_seconds=think_seconds,
                routing=routing,
                max_num_batched_tokens=max_num_batched_tokens,
                seed=seed,
            )
            for seed in SEEDS
        ]
        for routing in (RoutingConfig.random(), aware)
    )
    return before, after


def _changes(before: list[Summary], after: list[Summary], **bands: tuple[float, float]) -> None:
    changes = {
        "p50": [b.ttft.p50 / a.ttft.p50 for a, b in zip(before, after, strict=True)],
        "p90": [b.ttft.p90 / a.ttft.p90 for a, b in zip(before, after, strict=True)],
        "throughput": [b.requests_per_second / a.requests_per_second for a, b in zip(before, after, strict=True)],
    }
    for name, (low, high) in bands.items():
        what = name if name == "throughput" else f"TTFT {name.upper()}"
        band(f"  change of {what}, %", 100 * (fmean(changes[name]) - 1), f"{low} to {high}", low, high, form="+.1f")


def _shares(after: list[Summary]) -> None:
    for name, of in (("least", min), ("largest", max)):
        share = 100 * fmean(of(each.share_by_instance.values()) for each in after)
        band(f"  {name} share of an instance, %", share, "13.3 to 15.4", 13.3, 15.4, form=".1f")


def _mean(summaries: list[Summary], name: str) -> float:
    return fmean(getattr(each, name) for each in summaries)


def _log_normal(chance: random.Random, mean: float, sigma: float) -> int:
    return max(4, int(chance.lognormvariate(log(mean) - sigma**2 / 2, sigma)))
