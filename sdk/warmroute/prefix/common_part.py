"""How far two texts are the same, by bisection: comparing slices is what the machine does fastest."""

from __future__ import annotations

from typing import TypeVar

Text = TypeVar("Text", str, bytes)


def common_beginning(one: Text, other: Text) -> int:
    """Length of the longest common beginning of two texts."""
    end = min(len(one), len(other))
    low = 0
    while low < end and one.startswith(other[low : low + _STEP], low):
        low += _STEP
    high = min(low + _STEP, end)
    low = min(low, end)
    while low < high:  # The same up to low; the first difference is at high or before it.
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_end(one: Text, other: Text, limit: int) -> int:
    """Length of the longest common end of two texts, at most ``limit``."""
    low = 0
    while low < limit and _ends_alike(one, other, low, min(low + _STEP, limit)):
        low = min(low + _STEP, limit)
    high = min(low + _STEP, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if _ends_alike(one, other, low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _ends_alike(one: Text, other: Text, near: int, far: int) -> bool:
    """Whether what stands between two distances from the end is the same."""
    return one[len(one) - far : len(one) - near] == other[len(other) - far : len(other) - near]


_STEP = 16_384
"""Longest slice: larger ones are memory that the system has to hand out again and again."""
