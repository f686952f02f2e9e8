"""Recorded requests, and what only their texts tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from warmroute.inference_api import Api
    from warmroute.tune.observed import Observed
    from warmroute.tune.volatile import VolatileText

    FinerKeys = Callable[[Api, Sequence[int]], Mapping[int, Sequence[Hashable]]]
    """The keys of every observed request at further lengths, from the requests themselves."""


class Trace(NamedTuple):
    """Recorded requests, and what only their texts tell."""

    observed: Observed
    finer: FinerKeys | None = None
    """Finds routing keys at lengths that the digest does not have, where the requests themselves are at hand."""

    volatile: tuple[VolatileText, ...] = ()
    """What was found in the requests themselves."""

    cautions: tuple[str, ...] = ()
    """What is known to be missing or doubtful."""
