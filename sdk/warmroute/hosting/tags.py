"""Tags of AWS resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, SerializationInfo

from warmroute.settings import Frozen

_TagKey = Annotated[str, Field(min_length=1, max_length=128)]
_TagValue = Annotated[str, Field(max_length=256)]


def as_tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags in AWS's form, ``[{"Key": …, "Value": …}]``, sorted by key."""
    return [{"Key": key, "Value": tags[key]} for key in sorted(tags)]


def _from_tag_list(tags: Any) -> Any:
    if not isinstance(tags, list) or not all(_is_tag(tag) for tag in tags):
        return tags
    keys = [tag["Key"] for tag in tags]
    if len(set(keys)) < len(keys):
        raise ValueError("a key is given twice")
    return {tag["Key"]: tag["Value"] for tag in tags}


def _is_tag(tag: Any) -> bool:
    return isinstance(tag, Mapping) and set(tag) == {"Key", "Value"} and isinstance(tag["Key"], str)


def _in_the_asked_form(tags: Mapping[str, str], info: SerializationInfo) -> Any:
    return as_tag_list(tags) if info.by_alias else dict(tags)


Tags = Annotated[
    Frozen[dict[_TagKey, _TagValue]],
    BeforeValidator(_from_tag_list),
    Field(max_length=50),
    PlainSerializer(_in_the_asked_form),
]
"""Up to 50 tags as a mapping; AWS's list of ``Key`` and ``Value`` is read too. Source: botocore ``TagList``."""
