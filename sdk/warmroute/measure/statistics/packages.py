"""NumPy and SciPy, which the extra ``analysis`` brings."""

from __future__ import annotations

from typing import Any

from warmroute.errors import MissingExtraError


def numpy() -> Any:
    """NumPy.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import numpy as np
    except ImportError:
        raise MissingExtraError("Comparing runs", "analysis") from None
    return np


def special_functions() -> Any:
    """``scipy.special``: the distributions, without the long import of ``scipy.stats``.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    try:
        from scipy import special
    except ImportError:
        raise MissingExtraError("Comparing runs", "analysis") from None
    return special
