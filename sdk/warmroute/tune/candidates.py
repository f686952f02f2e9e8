"""Which prefix lengths and thresholds are worth a simulation."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING

from warmroute.routing import MAX_CONCURRENCY_THRESHOLD, MIN_CONCURRENCY_THRESHOLD
from warmroute.tune.lengths import LengthProfile, profile_length

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from warmroute.inference_api import Api
    from warmroute.tune.affinity import SharedTokens
    from warmroute.tune.observed import Observed
    from warmroute.tune.trace import FinerKeys
    from warmroute.tune.workload import Workload

FLAT_HIT_RATE = 0.005
"""Lengths whose expected hit rates differ by no more are taken for equal: half a point."""

_FINE = 1.01
"""Neighbouring lengths this close are not looked between: 1 %, some 60 characters at 6,000."""

_ROUNDS = 3
_FINER_LENGTHS = 15


class Lengths:
    """The traffic under several prefix lengths, each measured once.

    Args:
        observed: The requests.
        work: The same as a fleet is asked them.
        shared: What their prompts have in common.
        api: The API that they come by.
        instances: Instances of the fleet.
        finer: Finds keys at other lengths than the digest's.
        keys: Takes the keys of each length; None for new ones.
    """

    def __init__(
        self,
        observed: Observed,
        work: Workload,
        shared: SharedTokens,
        api: Api,
        *,
        instances: int,
        finer: FinerKeys | None = None,
        keys: dict[int, Sequence[Hashable]] | None = None,
    ) -> None:
        self._observed, self._work, self._shared, self._api = observed, work, shared, api
        self._instances, self._finer = instances, finer
        self._keys: dict[int, Sequence[Hashable]] = {} if keys is None else keys
        self.profiles: dict[int, LengthProfile] = {}
        """What was measured, by length."""
        self.without_affinity = shared.hit_rate_without_affinity(instances)

    def keys(self, length: int) -> Sequence[Hashable]:
        """The key of each observed request."""
        self._find([length])
        return self._keys[length]

    def measure(self, lengths: Iterable[int]) -> None:
        """Measure lengths that are not yet measured.

        Raises:
            KeyError: A length that neither the digest nor the requests can tell.
        """
        new = sorted(set(lengths) - self.profiles.keys())
        self._find(new)
        for length in new:
            self.profiles[length] = profile_length(
                self._observed,
                self._work,
                self._shared,
                self._api,
                length,
                self._keys[length],
                instances=self._instances,
            )

    def over(self, work: Workload, shared: SharedTokens) -> Lengths:
        """The same lengths, to be measured on other requests."""
        return Lengths(
            self._observed,
            work,
            shared,
            self._api,
            instances=self._instances,
            finer=self._finer,
            keys=self._keys,
        )

    def expected(self, length: int) -> float:
        """The hit rate expected of a measured length."""
        return self.profiles[length].expected_hit_rate(self._instances, self.without_affinity)

    def nearest(self, length: int) -> int:
        """The length, or the nearest one that can be measured."""
        if self._finer is not None:
            return length
        return min(self._observed.lengths(self._api), key=lambda known: (abs(known - length), known))

    def between(self, low: int, high: int) -> list[int]:
        """Lengths between two others that can be measured, at most 15, spread evenly by ratio."""
        if self._finer is not None:
            step = (high / low) ** (1 / (_FINER_LENGTHS + 1))
            return sorted({round(low * step**number) for number in range(1, _FINER_LENGTHS + 1)} - {low, high})
        known = [length for length in self._observed.lengths(self._api) if low < length < high]
        return known[:: ceil(len(known) / _FINER_LENGTHS)] if known else []

    def _find(self, lengths: Iterable[int]) -> None:
        new = [length for length in lengths if length not in self._keys]
        known = set(self._observed.lengths(self._api))
        unknown = [length for length in new if length not in known]
        found = self._finer(self._api, unknown) if unknown and self._finer else {}
        for length in new:
            self._keys[length] = self._observed.keys(self._api, length) if length in known else found[length]


def candidate_lengths(lengths: Lengths, ladder: Sequence[int]) -> tuple[int, ...]:
    """The lengths to simulate, first the one expected to be best.

    The best of the ladder are looked between, until neighbours are close. Of those about equal, the middle one keeps
    the farthest from both ends of what works: a head that grows a little, or a first question that shrinks.

    Args:
        lengths: Measures them; what is looked between is found in it.
        ladder: Lengths to begin with.
    """
    lengths.measure(ladder)
    for _ in range(_ROUNDS):
        low, high = _outside(lengths, *plateau(lengths))
        known = sorted(length for length in lengths.profiles if low <= length <= high)
        if all(after <= before * _FINE for before, after in pairwise(known)):
            break
        lengths.measure(lengths.between(low, high))
    begin, end = plateau(lengths)
    low, high = _outside(lengths, begin, end)
    middle = min(lengths.profiles, key=lambda length: abs(length - sqrt(begin * end)))
    return tuple(dict.fromkeys((middle, begin, end, low, high)))


def candidate_thresholds(healthy: float, overflowing: float, most: int) -> tuple[int, ...]:
    """Thresholds to simulate, ascending.

    Below the healthy number of requests in flight everything overflows; between that and the number in flight when
    everything does, a burst can leave the fleet overflowing. So they reach from half the one to beyond the other.

    Args:
        healthy: Requests in flight on an instance, at its peak, when requests go home.
        overflowing: The same when none does; infinite where the fleet cannot carry that.
        most: The largest to try, where nothing else limits it.
    """
    floor = floor_threshold(healthy)
    safe = min(float(most), safe_threshold(overflowing))
    roomy = min(float(most), roomy_threshold(healthy, overflowing))
    wanted = (floor / 2, floor, sqrt(floor * max(floor, safe)), safe, roomy, float(most))
    allowed = {min(MAX_CONCURRENCY_THRESHOLD, max(MIN_CONCURRENCY_THRESHOLD, ceil(value))) for value in wanted}
    return tuple(sorted(allowed))


def floor_threshold(healthy: float) -> float:
    """The least threshold that leaves room for chance: the healthy level, and 4.5 times its square root."""
    return healthy + 4.5 * sqrt(healthy)


def safe_threshold(overflowing: float) -> float:
    """A threshold that ends an overflow by itself: a fifth above what is in flight when everything overflows."""
    return 1.2 * overflowing


def plateau(lengths: Lengths) -> tuple[int, int]:
    """The first and the last of the measured lengths around the best whose expected hit rates are about equal."""
    known = sorted(lengths.profiles)
    expected = [lengths.expected(length) for length in known]
    least = max(expected) - FLAT_HIT_RATE
    best = expected.index(max(expected))
    begin = end = best
    while begin > 0 and expected[begin - 1] >= least:
        begin -= 1
    while end < len(known) - 1 and expected[end + 1] >= least:
        end += 1
    return known[begin], known[end]


def _outside(lengths: Lengths, begin: int, end: int) -> tuple[int, int]:
    """The measured lengths next to a stretch of them; its own ends where there are none."""
    known = sorted(lengths.profiles)
    return known[max(0, known.index(begin) - 1)], known[min(len(known) - 1, known.index(end) + 1)]


def roomy_threshold(healthy: float, overflowing: float) -> float:
    """Twice what is needed, so that traffic may double before the threshold has to be found anew."""
    return 2 * max(floor_threshold(healthy), safe_threshold(overflowing))
