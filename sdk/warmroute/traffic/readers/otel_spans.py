"""OpenTelemetry spans in the forms in which they are exported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.entries.fields import listed, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def is_span(value: Mapping[str, Any]) -> bool:
    """Whether an object is one span with attributes of a GenAI call."""
    return any(name.startswith("gen_ai.") for name in _attributes(value))


def spans_of(value: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """The spans of an export, with their attributes by name."""
    nested = [each for name in ("resourceSpans", "scopeSpans", "spans") for each in listed(value, name)]
    for inner in nested:
        if isinstance(inner, dict):
            yield from spans_of(inner)
    if not nested and "attributes" in value:
        yield value, _attributes(value)


def value_of(attributes: Mapping[str, Any], name: str) -> Any:
    """An attribute, read as JSON where it is such a text."""
    found = attributes.get(name)
    if isinstance(found, str) and found.lstrip()[:1] in ("[", "{"):
        try:
            return orjson.loads(found)
        except orjson.JSONDecodeError:
            return None
    return found


def messages_of(value: object) -> list[Any] | None:
    """Messages in the form of the chat API; None if they are none."""
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        return None
    return [_message(message) for message in value]


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    parts = message.get("parts")
    if not isinstance(parts, list):
        return dict(message)
    content, calls = [], []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            content.append({"type": "text", "text": part.get("content")})
        elif kind == "tool_call_response":
            content.append({"type": "text", "text": _as_text(part.get("response", part.get("result")))})
        elif kind == "tool_call":
            calls.append(part)
    return {"role": message.get("role"), "content": content, **({"tool_calls": calls} if calls else {})}


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as an object, or as OTLP's list of keys and typed values."""
    pairs = [each for each in listed(span, "attributes") if isinstance(each, dict)]
    if pairs:
        return {str(each.get("key")): _untyped(each.get("value")) for each in pairs}
    return dict(mapping(span, "attributes"))


def _untyped(value: object) -> Any:
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("arrayValue"), dict):
        return [_untyped(each) for each in listed(value["arrayValue"], "values")]
    if isinstance(value.get("kvlistValue"), dict):
        pairs = listed(value["kvlistValue"], "values")
        return {str(each.get("key")): _untyped(each.get("value")) for each in pairs if isinstance(each, dict)}
    whole = value.get("intValue")
    if isinstance(whole, str) and _WHOLE.fullmatch(whole):  # OTLP's JSON has numbers of 64 bits as texts.
        return int(whole)
    return next(iter(value.values()), None)


_WHOLE = re.compile(r"-?[0-9]{1,19}")
