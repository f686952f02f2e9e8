"""What the shell offers for options whose values are names; files it completes by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def input_formats(incomplete: str) -> list[str]:
    """Formats of recorded traffic that are read."""
    from warmroute.traffic import Format

    return _beginning(incomplete, Format)


def written_formats(incomplete: str) -> list[str]:
    """Formats of recorded traffic that are written."""
    from warmroute.traffic.writers import WRITERS

    return _beginning(incomplete, WRITERS)


def engine_kinds(incomplete: str) -> list[str]:
    """What serves behind the local endpoint."""
    from warmroute.local import EngineKind

    return _beginning(incomplete, EngineKind)


def profiles(incomplete: str) -> list[str]:
    """Engine profiles that have a name; other words are files."""
    from warmroute.tune.fleets import BUILT_IN_PROFILE

    return _beginning(incomplete, [BUILT_IN_PROFILE])


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [str(name) for name in names if name.startswith(incomplete)]
