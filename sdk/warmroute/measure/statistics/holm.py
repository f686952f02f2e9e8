"""Several questions asked of the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    Key = TypeVar("Key", bound=Hashable)


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """p-values raised so that the chance of any false finding among them stays at the level of one (Holm, 1979).

    Args:
        p_values: One for each question.

    Returns:
        The adjusted p-values, in the order given.
    """
    adjusted: dict[Key, float] = {}
    least = 0.0
    for rank, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[key]))
        adjusted[key] = least
    return {key: adjusted[key] for key in p_values}
