"""Checks recorded requests for what scatters their prefixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.errors import InvalidSettingsError, Severity
from warmroute.prefix.canonical import value_and_bytes
from warmroute.prefix.canonical_error import CanonicalJsonError
from warmroute.prefix.key import check_prefix_length, routing_key
from warmroute.prefix.volatile import find_volatile
from warmroute.routing import MIN_PREFIX_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.inference_api import Api

RULES = {
    "WP101": "The request is not JSON that every parser reads alike.",
    "WP102": "The body is not in canonical form, so that a client that writes it otherwise gets another routing key.",
    "WP103": "The request is shorter than the window, so that each longer turn of its conversation has a new key.",
    "WP104": "Text in the routing window probably changes from call to call.",
    "WP105": "The request does not fit the API, so that it has no routing key.",
}
"""What ``lint`` looks for, by the ids of its findings."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that probably scatters the prefix of a request."""

    id: str
    """``WP101`` to ``WP105``."""

    severity: Severity
    line: int
    """Line of the request in its file, from 1."""

    path: str
    """Where in the request; empty for the whole."""

    message: str
    """What was found; of texts only the form."""

    remedy: str


def lint(requests: Iterable[tuple[int, bytes]], *, api: Api, prefix_length: int) -> Iterator[LintFinding]:
    """What probably scatters the prefixes of requests.

    Args:
        requests: Line number and body of each, the body as sent.
        api: What SageMaker compares, as in ``routing_key``.
        prefix_length: Longest beginning that it compares.

    Raises:
        InvalidSettingsError: The length is not positive.
    """
    check_prefix_length(prefix_length)
    for line, body in requests:
        try:
            value, canonical = value_and_bytes(body)
        except CanonicalJsonError as error:
            problem = f"{error.problem.removesuffix('.')} at byte {error.offset}."
            yield LintFinding("WP101", Severity.ERROR, line, error.path, problem, error.remedy)
            continue
        try:
            if api == "invoke":
                key = routing_key(body, api=api, prefix_length=prefix_length)
            else:
                key = routing_key(value, api=api, prefix_length=prefix_length)
        except InvalidSettingsError as error:
            fault = error.findings[0]
            yield LintFinding("WP105", Severity.ERROR, line, fault.path, fault.message, fault.remedy)
            continue
        if api == "invoke" and body.strip() != canonical:
            remedy = "Send canonical_json(request), or install warmroute's client helper."
            yield LintFinding("WP102", Severity.WARNING, line, "", "The body is not in canonical form.", remedy)
        if not key.fills:
            unit = "bytes" if api == "invoke" else "characters"
            message = f"{key.length:,} {unit}, fewer than the window of {prefix_length:,}."
            yield LintFinding("WP103", Severity.WARNING, line, "", message, _remedy_of_short(key.length))
        for found in find_volatile(body, api=api, prefix_length=prefix_length):
            unit = "byte" if api == "invoke" else "character"
            message = f"{found.kind.value} at {unit} {found.offset:,} of the window: {found.text}."
            yield LintFinding("WP104", Severity.WARNING, line, found.path, message, found.remedy)


def _remedy_of_short(length: int) -> str:
    """An id is compared beside the window, not instead of it, so that alone it keeps no two turns together."""
    if length < MIN_PREFIX_LENGTH:
        return f"Put more of what stays the same before the conversation: a window has {MIN_PREFIX_LENGTH:,} or more."
    return (
        "Use a prefix length that the messages of the first turn fill; a PrefixAwareId tells conversations apart that "
        "then begin alike."
    )
