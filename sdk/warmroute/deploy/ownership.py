"""Whose a resource is: a tag that everything made here carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.errors import IncompleteSpecError
from warmroute.hosting.tags import as_tag_list

if TYPE_CHECKING:
    from collections.abc import Mapping

OWNER_TAG = "warmroute:endpoint"
"""Tag of everything that is made for an endpoint; its value is the endpoint's name."""

DEPLOYED_TAG = "warmroute:deployed"
"""Tag of a configuration or model: when a run was last about to use it (UTC, ISO 8601)."""

SERVED_TAG = "warmroute:served"
"""Tag of a configuration or model: when it was last seen to serve after a deployment (UTC, ISO 8601)."""

ROLLED_BACK_TAG = "warmroute:rolled-back"
"""Tag of a configuration: the value of ``DEPLOYED_TAG`` where that was a roll-back, so that one that was stopped is
followed rather than begun again in the other direction."""

RETIRING_TAG = "warmroute:retiring"
"""Tag of a configuration or model: when a run was about to delete it (UTC, ISO 8601)."""

ADOPTED_TAG = "warmroute:adopted"
"""Tag of an endpoint: the configuration that it ran when it was taken over, where its name is not one of
warmroute's; it can be gone back to as well."""

NOTE_TAGS = frozenset({DEPLOYED_TAG, SERVED_TAG, ROLLED_BACK_TAG, RETIRING_TAG})
"""Notes that warmroute may write on a model or a configuration, beside whose it is."""

OWN_PREFIX = "warmroute:"
"""Beginning of the tags that are warmroute's own bookkeeping."""

MAX_TAGS = 50
"""Tags of one resource. Source: botocore ``TagList``."""

MAX_OWN_TAGS = len(NOTE_TAGS) + 1
"""Tags that warmroute may add to a resource."""


def is_owned(tags: Mapping[str, str], endpoint: str) -> bool:
    """Whether a resource was made for an endpoint, or has been adopted.

    Args:
        tags: Of the resource.
        endpoint: Name of the endpoint; case does not count, as it does not for SageMaker.
    """
    return tags.get(OWNER_TAG, "").lower() == endpoint.lower()


def with_owner(parameters: dict[str, Any], endpoint: str, *, as_map: bool = False) -> dict[str, Any]:
    """Parameters of a call that makes something, with the tag that says whose it is.

    Args:
        parameters: As rendered.
        endpoint: Name of the endpoint.
        as_map: Whether the service takes a mapping of tags, as Application Auto Scaling does.

    Raises:
        IncompleteSpecError: There is no room for the tag, or the spec sets one of warmroute's own.
    """
    tags = as_mapping(parameters.get("Tags") or [])
    reserved = [key for key in tags if key.startswith(OWN_PREFIX)]
    if reserved:
        raise IncompleteSpecError(f"tags.{reserved[0]}: is warmroute's own note.", f"Use a key without {OWN_PREFIX}.")
    if len(tags) > MAX_TAGS - MAX_OWN_TAGS:
        raise IncompleteSpecError(
            f"tags: {len(tags)} tags leave no room for warmroute's own.",
            f"AWS allows {MAX_TAGS}; {OWNER_TAG} and warmroute's notes on configurations need {MAX_OWN_TAGS} of them.",
        )
    all_tags = {**tags, OWNER_TAG: endpoint}
    return {**parameters, "Tags": all_tags if as_map else as_tag_list(all_tags)}


def operators_tags(tags: Mapping[str, str]) -> dict[str, str]:
    """The operator's own: neither warmroute's bookkeeping nor AWS's own, which nobody may set."""
    return {key: value for key, value in tags.items() if not key.startswith((OWN_PREFIX, "aws:"))}


def as_mapping(tags: Any) -> dict[str, str]:
    """Tags as a mapping, from AWS's list of ``Key`` and ``Value`` or from a mapping."""
    return dict(tags) if isinstance(tags, dict) else {tag["Key"]: tag["Value"] for tag in tags}
