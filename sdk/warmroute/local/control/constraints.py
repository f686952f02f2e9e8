"""Checks a request against the API's own model, on the service's side of the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.api_model import violations
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKED_ELSEWHERE = {"ProductionVariantRoutingConfig"}
"""Shapes whose checks, with better messages, are warmroute's own."""


def refuse_violations(action: str, request: Mapping[str, Any]) -> None:
    """Refuse a request that the API's model does not allow.

    Args:
        action: Name of the API call.
        request: Its input.

    Raises:
        RefusedError: With every violation found.
    """
    faults = violations(action, request, unchecked=CHECKED_ELSEWHERE)
    if faults:
        errors = "error" if len(faults) == 1 else "errors"
        raise RefusedError(f"{len(faults)} validation {errors} detected: {'; '.join(faults)}")
