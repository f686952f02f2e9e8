"""What a look at one part of the environment has found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum


class Status(StrEnum):
    """How one part of the environment is."""

    OK = "ok"

    WARNING = "warning"
    """Something works otherwise than a newcomer may expect, or not yet."""

    PROBLEM = "problem"
    """Something that warmroute does cannot work."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of the doctor's."""

    subject: str
    """What was looked at, in a word or two."""

    status: Status
    """How it is."""

    message: str
    """What was found; never a secret."""

    remedy: str = ""
    """What to do about it; empty where nothing needs to be done."""

    def __str__(self) -> str:
        """Status, subject, message and remedy in one line."""
        return f"{self.status:<8} {self.subject}: {self.message} {self.remedy}".rstrip()

    def as_dict(self) -> dict[str, str]:
        """The same as plain values, for JSON output."""
        return asdict(self)


def ok(subject: str, message: str, remedy: str = "") -> Diagnosis:
    """Nothing needs to be done."""
    return Diagnosis(subject, Status.OK, message, remedy)


def warning(subject: str, message: str, remedy: str) -> Diagnosis:
    """Something may surprise."""
    return Diagnosis(subject, Status.WARNING, message, remedy)


def problem(subject: str, message: str, remedy: str) -> Diagnosis:
    """Something cannot work."""
    return Diagnosis(subject, Status.PROBLEM, message, remedy)
