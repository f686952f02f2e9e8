"""Where two plain values part, field by field, in the words of a spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.tags import lacking_tags
from warmroute.deploy.ownership import as_mapping
from warmroute.deploy.plan import FieldChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HIDDEN = "(hidden)"
"""Stands for the value of a variable, which may be a token."""


def differences(old: Any, new: Any, path: str = "") -> tuple[FieldChange, ...]:
    """Every value that differs, with its path in snake_case.

    Items of lists are matched by what names them (variants by their names, containers by their host names), so that
    one more at the front is not a change of all.

    Args:
        old: Plain value as it is; None where there is none.
        new: Plain value as it shall be; None where there is none.
        path: Where the values are.
    """
    return tuple(_differences(old, new, path))


def tag_differences(present: Mapping[str, str], wanted: Sequence[Mapping[str, str]]) -> tuple[FieldChange, ...]:
    """The tags that a resource lacks or has with another value, each under its key as it is spelt.

    Args:
        present: Tags of the resource.
        wanted: Tags that it should have, in AWS's form.
    """
    lacking = as_mapping(lacking_tags(present, wanted))
    return tuple(FieldChange(f"tags.{key}", present.get(key), value) for key, value in lacking.items())


def snake_case(name: str) -> str:
    """A name of AWS's as the spec spells it: ``VolumeSizeInGB`` is ``volume_size_in_gb``."""
    if not name.isidentifier() or name.isupper() or "_" in name:
        return name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


_NAMED_BY = (
    "VariantName",
    "InferenceComponentName",
    "ContainerHostname",
    "ChannelName",
    "InstanceType",
    "AlarmName",
    "Key",
)
_SHORTER = {
    "ProductionVariants": "variants",
    "ShadowProductionVariants": "shadow_variants",
    "Tags": "tags",
}


def _differences(old: Any, new: Any, path: str) -> Iterator[FieldChange]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*new, *(key for key in old if key not in new)]:
            if key == "Environment":
                yield from _of_variables(old.get(key) or {}, new.get(key) or {}, _joined(path, "environment"))
            else:
                yield from _differences(old.get(key), new.get(key), _joined(path, _SHORTER.get(key) or snake_case(key)))
    elif isinstance(old, list) and isinstance(new, list):
        olds, news = _by_name(old), _by_name(new)
        if olds is None or news is None:
            yield from _of_positions(old, new, path)
            return
        for name in [*news, *(name for name in olds if name not in news)]:
            yield from _differences(olds.get(name), news.get(name), _joined(path, name))
    elif old != new:
        yield FieldChange(path, _shown(old), _shown(new))


def _of_positions(old: Sequence[Any], new: Sequence[Any], path: str) -> Iterator[FieldChange]:
    for position in range(max(len(old), len(new))):
        before = old[position] if position < len(old) else None
        after = new[position] if position < len(new) else None
        yield from _differences(before, after, f"{path}[{position}]")


def _of_variables(old: dict[str, str], new: dict[str, str], path: str) -> Iterator[FieldChange]:
    for name in [*new, *(name for name in old if name not in new)]:
        before, after = old.get(name), new.get(name)
        if before != after:
            yield FieldChange(_joined(path, name), _variable(name, before), _variable(name, after))


def _variable(name: str, value: str | None) -> str | None:
    """A variable's value, hidden unless it is an argument of the engine."""
    is_argument = name.startswith("SM_VLLM_") and not name.endswith(("KEY", "TOKEN", "SECRET", "PASSWORD"))
    return value if value is None or is_argument else HIDDEN


def _shown(value: Any) -> Any:
    """A value that came or went as a whole, without what its variables hold."""
    if isinstance(value, dict):
        return {
            key: {name: _variable(name, each) for name, each in item.items()} if key == "Environment" else _shown(item)
            for key, item in value.items()
        }
    return [_shown(item) for item in value] if isinstance(value, list) else value


def _by_name(items: Sequence[Any]) -> dict[str, Any] | None:
    """The items by what names them, or None where nothing does."""
    for key in _NAMED_BY:
        if items and all(isinstance(item, dict) and key in item for item in items):
            named = {item[key]: item for item in items}
            return named if len(named) == len(items) else None
    return None if items else {}


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
