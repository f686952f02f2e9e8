"""Tags of AWS resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, SerializationInfo

from warmroute.settings import Frozen

# AWS's [\p{L}\p{Z}\p{N}_.:/=+\-@]* as Python can say it: \w for letters, numbers and _, and each separator.
_PATTERN = r"\A(?:[\w \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000.:/=+\-@]*)\Z"
_TagKey = Annotated[str, Field(pattern=_PATTERN, min_length=1, max_length=128)]
_TagValue = Annotated[str, Field(pattern=_PATTERN, max_length=256)]


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
    Frozen[Annotated[dict[_TagKey, _TagValue], Field(max_length=50)]],
    BeforeValidator(_from_tag_list),
    PlainSerializer(_in_the_asked_form),
]
"""Up to 50 tags as a mapping; AWS's list of ``Key`` and ``Value`` is read too. Source: botocore ``TagList``."""
