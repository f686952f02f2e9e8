"""One exception tree; every error says what was wrong, where, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class Severity(StrEnum):
    """Whether a finding stops a deployment."""

    ERROR = "error"
    """SageMaker refuses the request, or the endpoint cannot work: the spec is invalid."""

    WARNING = "warning"
    """Accepted, but it does not do what its author probably wants."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a spec, and how to put it right."""

    id: str
    """Stable identifier, for example ``WR104``; ``WR0..`` are field errors, which cannot be silenced."""

    severity: Severity
    path: str
    """Where, as a path of fields: ``variants[0].initial_instance_count``; empty for the whole document."""

    message: str
    """What is wrong, with the value at fault."""

    remedy: str
    """What to do: allowed values or the change to make."""

    source: str = ""
    """Where the rule comes from."""

    def __str__(self) -> str:
        """The finding in two sentences, led by its path."""
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.message} {self.remedy}".rstrip()

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values, for JSON output."""
        return asdict(self)


class WarmrouteError(Exception):
    """Anything that a caller of warmroute can put right.

    Args:
        message: What was wrong, and where.
        remedy: What to do about it.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".rstrip())
        self.message = message
        self.remedy = remedy


class InvalidSettingsError(WarmrouteError, ValueError):
    """Settings that SageMaker would refuse, or that cannot work.

    Args:
        findings: Every error found, not only the first.
        name: What the settings are called, usually a file or a class.
    """

    def __init__(self, findings: Sequence[Finding], name: str = "") -> None:
        self.findings = tuple(findings)
        self.name = name
        lead = f"{name}: " if name else ""
        super().__init__("\n".join(f"{lead}{finding}" for finding in self.findings))

    def __reduce__(self) -> tuple[type[InvalidSettingsError], tuple[tuple[Finding, ...], str]]:
        """Rebuilt from its findings, so that it survives a process boundary."""
        return type(self), (self.findings, self.name)


class DocumentError(WarmrouteError):
    """A spec file that cannot be read or parsed at all."""


class IncompleteSpecError(WarmrouteError):
    """A valid spec that lacks something that this rendering or operation needs."""


class MissingExtraError(WarmrouteError, ImportError):
    """A feature whose optional dependencies are not installed.

    Args:
        feature: What was asked for.
        extra: The extra that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs packages that are not installed.", f"Run: pip install 'warmroute[{extra}]'")
        self.feature, self.extra = feature, extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Rebuilt from what it was made of, so that it survives a process boundary."""
        return type(self), (self.feature, self.extra)


class DeploymentError(WarmrouteError):
    """AWS refused, failed or rolled back a deployment; or it could not be asked."""


class LocalEndpointError(WarmrouteError):
    """The local endpoint could not start or was asked for something that it does not have."""
