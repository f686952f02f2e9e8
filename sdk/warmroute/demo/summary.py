"""What one arm of the demo shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.demo.experiment import Answer


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of one arm."""

    requests: int
    prefixes: int
    """Distinct routing keys."""

    instance_shares: tuple[float, ...]
    """Share of the requests of each instance, largest first, those that served none included."""

    instances_per_prefix: float
    """Mean number of distinct instances that the requests of one routing key met; keys of one request left out."""

    cache_hit_rate: float
    """Prompt tokens found in the KV cache, over all prompt tokens."""

    ttft_p50_seconds: float
    ttft_p90_seconds: float


def summarise(answers: Sequence[Answer], *, instances: int) -> Summary:
    """The figures of one arm.

    Args:
        answers: At least one.
        instances: How many instances could serve.
    """
    served = [count for _, count in Counter(answer.instance for answer in answers).most_common()]
    met: defaultdict[bytes, list[str]] = defaultdict(list)
    for answer in answers:
        met[answer.key].append(answer.instance)
    shared = [len(set(instances)) for instances in met.values() if len(instances) > 1]
    waits = sorted(answer.ttft_seconds for answer in answers)
    deciles = quantiles(waits, n=10, method="inclusive") if len(waits) > 1 else waits * 9
    return Summary(
        requests=len(answers),
        prefixes=len(met),
        instance_shares=tuple(count / len(answers) for count in served) + (0.0,) * (instances - len(served)),
        instances_per_prefix=mean(shared) if shared else 1.0,
        cache_hit_rate=sum(answer.cached_tokens for answer in answers)
        / sum(answer.prompt_tokens for answer in answers),
        ttft_p50_seconds=deciles[4],
        ttft_p90_seconds=deciles[8],
    )
