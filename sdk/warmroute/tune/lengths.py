"""What a prefix length would make of the traffic: which requests it takes for alike, and what that is worth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from warmroute.inference_api import Api
    from warmroute.tune.affinity import SharedTokens
    from warmroute.tune.observed import Observed
    from warmroute.tune.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthProfile:
    """The traffic under one prefix length."""

    prefix_length: int
    keys: int
    """Distinct routing keys."""

    largest_share: float
    """Part of the requests that have the most frequent key."""

    reuse: float
    """Requests to a key, on average."""

    changed_turns: float
    """Part of the turns after a session's first whose key is not that of the turn before."""

    changed_short_turns: float
    """Those of them whose turn before was shorter than the length, so that any text that follows changes the key."""

    hit_rate: float
    """Part of the prompt tokens found in caches without a limit, when requests of one key go to one instance."""

    equal_keys: float
    """As many equally frequent keys would spread the requests as evenly: 1 over the sum of squared shares."""

    def expected_hit_rate(self, instances: int, without_affinity: float) -> float:
        """The hit rate where no instance takes more than its share: what a too frequent key has beyond overflows.

        Args:
            instances: Instances of the fleet.
            without_affinity: The hit rate of requests that overflow.
        """
        at_home = min(1.0, 1 / (instances * self.largest_share))
        return without_affinity + at_home * (self.hit_rate - without_affinity)


def profile_length(
    observed: Observed,
    work: Workload,
    shared: SharedTokens,
    api: Api,
    length: int,
    keys: Sequence[Hashable],
    *,
    instances: int,
) -> LengthProfile:
    """The traffic under one prefix length.

    Args:
        observed: The requests.
        work: The same as a fleet is asked them.
        shared: What their prompts have in common.
        api: The API that they come by.
        length: The prefix length.
        keys: What is compared of each observed request.
        instances: Instances of the fleet.
    """
    ordered = [keys[row] for row in work.rows]
    counts = Counter(ordered)
    total = len(ordered)
    changed, short, followers = _changes(observed, work, api, length, keys)
    return LengthProfile(
        prefix_length=length,
        keys=len(counts),
        largest_share=max(counts.values()) / total,
        reuse=total / len(counts),
        changed_turns=changed / followers if followers else 0.0,
        changed_short_turns=short / followers if followers else 0.0,
        hit_rate=shared.hit_rate(ordered, instances),
        equal_keys=total**2 / sum(count**2 for count in counts.values()),
    )


def _changes(
    observed: Observed, work: Workload, api: Api, length: int, keys: Sequence[Hashable]
) -> tuple[int, int, int]:
    """Turns whose key changed, those after one shorter than the length, and all turns that follow another."""
    is_shorter = observed.is_shorter(api, length)
    before: dict[Hashable, int] = {}
    changed = short = followers = 0
    for row, session in zip(work.rows, work.sessions, strict=True):
        last = before.get(session)
        if last is not None:
            followers += 1
            if keys[last] != keys[row]:
                changed += 1
                short += is_shorter[last]
        before[session] = row
    return changed, short, followers
