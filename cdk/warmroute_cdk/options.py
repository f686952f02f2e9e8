"""Options that are given by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from warmroute_cdk.failures import ConstructError

if TYPE_CHECKING:
    from collections.abc import Iterable


def refuse_unknown(given: Iterable[str], *known: type) -> None:
    """Refuse options that nobody would look at.

    Args:
        given: Names of the options.
        known: ``TypedDict`` classes that have the names that there are.

    Raises:
        ConstructError: A name is not known.
    """
    names = sorted({name for each in known for name in each.__annotations__})
    for name in given:
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"Did you mean {close[0]}? " if close else ""
            raise ConstructError(f"there is no option {name}.", f"{hint}There are {', '.join(names)}.")
