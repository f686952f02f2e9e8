"""A memory of bounded size: what was met longest ago is forgotten first."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by name, of which only the latest are kept.

    Args:
        limit: How many; a million names of 16 characters take about 150 MB.
    """

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._values: dict[str | int, T] = {}

    def __contains__(self, name: str | int) -> bool:
        return name in self._values

    def get(self, name: str | int) -> T | None:
        """The value of a name; None if there is none, or if it was forgotten."""
        return self._values.get(name)

    def pop(self, name: str | int) -> T | None:
        """The value of a name, which is then forgotten."""
        return self._values.pop(name, None)

    def add(self, name: str | int, value: T) -> None:
        """Keep a value, and forget the oldest if there are too many."""
        self._values[name] = value
        if len(self._values) > self._limit:
            del self._values[next(iter(self._values))]
