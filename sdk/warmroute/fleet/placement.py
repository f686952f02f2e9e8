"""Ways to pick one target out of several; a routing strategy is made of them.

Every way has the same form, so that a strategy can take any of them for any of its decisions: the key that requests
of one beginning share, the targets that may be picked, and a source of chance for those that need one.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from struct import unpack
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


class Target(Protocol):
    """What can serve a request: an instance, or one copy of an inference component. Its owner keeps the count."""

    @property
    def id(self) -> str:
        """Name that stays the same as long as the target lives."""

    @property
    def in_flight(self) -> int:
        """Requests sent to the target and not yet answered, as far as the router knows."""


TargetT = TypeVar("TargetT", bound=Target)


class Pick(Protocol):
    """Picks one of at least one targets."""

    def __call__(self, key: bytes, targets: Sequence[TargetT], chance: Random, /) -> TargetT:
        """The target for requests of this key, now."""


def anywhere(_: bytes, targets: Sequence[TargetT], chance: Random, /) -> TargetT:
    """Any target, each as likely as the others."""
    return chance.choice(targets)


def least_outstanding(_: bytes, targets: Sequence[TargetT], chance: Random, /) -> TargetT:
    """The target with the fewest requests in flight; among equals, any.

    Chance decides because every fixed order would favour someone: the first target of the list, or the one that
    served the key before.
    """
    fewest = min(target.in_flight for target in targets)
    idlest = [target for target in targets if target.in_flight == fewest]
    return idlest[0] if len(idlest) == 1 else chance.choice(idlest)


def rendezvous(key: bytes, targets: Sequence[TargetT], _: Random, /) -> TargetT:
    """The target that scores highest for the key: rendezvous hashing, the same in every process.

    A target's score depends on nothing but the key and its id, so a target that comes or goes moves only the keys
    that it wins or held: about one in n. Over the targets that are not busy it gives each key a stable second home.
    """
    hashes, ones, lanes = _lanes(tuple([target.id for target in targets]))
    # The mixing steps of MurmurHash3's 64-bit finalizer; its last step changes no bit that decides a comparison. All
    # targets are mixed at once, each in the lower half of a lane of 128 bits.
    scores = hashes ^ _hash64(key) * ones
    scores = ((scores ^ scores >> 33) & lanes) * 0xFF51AFD7ED558CCD & lanes
    scores = ((scores ^ scores >> 33) & lanes) * 0xC4CEB9FE1A85EC53 & lanes
    by_target = unpack(f"<{2 * len(targets)}Q", scores.to_bytes(16 * len(targets), "little"))[::2]
    return targets[by_target.index(max(by_target))]


def remembered(pick: Pick) -> Pick:
    """The same pick, remembered for each key as long as the same tuple of targets is given.

    Args:
        pick: One that depends on the key and the targets' ids alone, as `rendezvous` does.
    """
    known: dict[bytes, tuple[Sequence[Any], Any]] = {}

    def recall(key: bytes, targets: Sequence[TargetT], chance: Random, /) -> TargetT:
        seen = known.get(key)
        if seen is not None and seen[0] is targets:
            same: TargetT = seen[1]
            return same
        target = pick(key, targets, chance)
        if isinstance(targets, tuple):  # A list could change and stay the same object.
            if len(known) >= _REMEMBERED_KEYS:
                known.clear()
            known[key] = targets, target
        return target

    return recall


_REMEMBERED_KEYS = 100_000


def _hash64(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


@lru_cache(maxsize=4_096)
def _lanes(target_ids: tuple[str, ...]) -> tuple[int, int, int]:
    """For some targets, a lane of 128 bits each: the hash of its id, a 1, and 64 bits of ones."""
    ones = sum(1 << 128 * lane for lane in range(len(target_ids)))
    hashes = sum(_hash64(each.encode()) << 128 * lane for lane, each in enumerate(target_ids))
    return hashes, ones, ones * 0xFFFF_FFFF_FFFF_FFFF
