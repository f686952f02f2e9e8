"""What packages require, and what of it is not there: from their metadata, so nothing is written down twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.doctor.machine import Machine

OURS = "warmroute"


@dataclass(frozen=True, slots=True)
class Lack:
    """A package that is missing, or whose version does not do."""

    requirement: Requirement
    """What is required."""

    by: str
    """Name of the package that requires it."""

    found: str | None
    """The version that is installed; None where none is."""

    def __str__(self) -> str:
        """The package, what is wrong with it and who says so."""
        name, wanted = self.requirement.name, str(self.requirement.specifier)
        if self.found is None:
            return f"{name} is missing"
        return f"{name} {self.found} is installed, and {self.by} needs {wanted}"

    @property
    def pip(self) -> str:
        """What pip is asked for to mend it."""
        return f"'{self.requirement.name}{self.requirement.specifier}'"


def required(machine: Machine, package: str, extra: str = "") -> list[Requirement]:
    """What a package requires by itself, or for one of its extras alone.

    Args:
        machine: The machine.
        package: Its name; of one that is not installed, nothing is known.
        extra: Name of the extra.
    """
    found = machine.distribution(package)
    wanted = [Requirement(line) for line in (found.requires if found else None) or ()]
    if not extra:
        return [each for each in wanted if _applies(each, "")]
    return [each for each in wanted if _applies(each, extra) and not _applies(each, "")]


def lacking(machine: Machine, wanted: Iterable[Requirement], by: str = OURS) -> Iterator[Lack]:
    """What of these requirements, and of those of what they bring, is missing or has a version that does not do.

    Args:
        machine: The machine.
        wanted: The requirements.
        by: Who requires them.
    """
    waiting = [(each, by) for each in wanted]
    seen: set[tuple[str, str]] = set()
    told: set[str] = set()
    while waiting:
        requirement, asker = waiting.pop(0)
        name = canonicalize_name(requirement.name)
        found = machine.version(requirement.name)
        if found is None or not requirement.specifier.contains(found, prereleases=True):
            if name not in told:
                told.add(name)
                yield Lack(requirement, asker, found)
            continue
        for extra in ("", *sorted(requirement.extras)):
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(each, requirement.name) for each in required(machine, requirement.name, extra)]


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})
