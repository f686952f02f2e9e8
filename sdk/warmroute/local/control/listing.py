"""The List calls: one page of resources, filtered and sorted as asked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from warmroute.local.control.registry import AnyResource, Request, Response

DEFAULT_PAGE = 100
"""Resources in a page when MaxResults is not given; also the most that it allows. Source: botocore ``MaxResults``."""

_TIMES = {"CreationTime": "creation_time", "LastModifiedTime": "last_modified_time"}
_SORT_KEYS = {"Name": "name", "CreationTime": "creation_time", "Status": "status"}


def list_page(
    resources: Iterable[AnyResource],
    request: Request,
    *,
    into: str,
    summary: Callable[[AnyResource], dict[str, Any]],
) -> Response:
    """One page of a List call.

    Args:
        resources: Candidates.
        request: Filters, order and page that the caller asked for.
        into: Field of the response that takes the summaries.
        summary: How one resource is listed.

    Raises:
        RefusedError: The NextToken is not one of ours.
    """
    order = _SORT_KEYS[request.get("SortBy", "CreationTime")]
    found = sorted(
        (resource for resource in resources if _wanted(resource, request)),
        key=lambda resource: getattr(resource, order),
        reverse=request.get("SortOrder", "Descending") == "Descending",
    )
    token = request.get("NextToken") or "0"
    if not token.isdecimal():
        raise RefusedError(f"Invalid NextToken: '{token}'.")
    start = int(token)
    end = start + request.get("MaxResults", DEFAULT_PAGE)
    page: Response = {into: [summary(resource) for resource in found[start:end]]}
    if end < len(found):
        page["NextToken"] = str(end)
    return page


def _wanted(resource: Any, request: Request) -> bool:
    if request.get("NameContains", "") not in resource.name:
        return False
    if "StatusEquals" in request and resource.status != request["StatusEquals"]:
        return False
    for field, attribute in _TIMES.items():
        after, before = request.get(f"{field}After"), request.get(f"{field}Before")
        if after is not None and getattr(resource, attribute) <= _seconds(after):
            return False
        if before is not None and getattr(resource, attribute) >= _seconds(before):
            return False
    return True


def _seconds(moment: datetime) -> float:
    """Seconds since 1970; a time without a zone is in UTC."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
