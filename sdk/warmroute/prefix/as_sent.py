"""A request as it was sent, as text and as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.prefix.canonical import value_and_bytes
from warmroute.prefix.common_part import common_beginning
from warmroute.prefix.json_place import JsonPath, Place, Walker, Within, end_of_string
from warmroute.prefix.json_writer import write
from warmroute.prefix.parting import Document

if TYPE_CHECKING:
    from warmroute.prefix.field_order import FieldOrder

Request = Mapping[str, Any] | Sequence[Any] | str | bytes


def as_sent(request: Request, order: FieldOrder) -> Document:
    """The text and the value of a request.

    Args:
        request: JSON text exactly as sent, or Python values, taken as sent compactly in their own order.
        order: What counts as canonical.

    Raises:
        CanonicalJsonError: The request is not JSON, or not the same to every parser.
    """
    if not isinstance(request, (str, bytes)):
        return Document(write(request), request, is_compact=True)
    value, canonical = value_and_bytes(request, order)
    text = request.encode() if isinstance(request, str) else request
    if text == canonical:
        return Document(text, value, is_compact=True, is_canonical=True)
    return Document(text, value, is_compact=len(text) == len(canonical) and text == write(value))


def as_sent_beside(request: Request, neighbour: Document, order: FieldOrder) -> tuple[Document, Place | None]:
    """The same, quicker if the request is JSON text that differs from its neighbour in a single text.

    Then only that text has to be read: all around it is what was already read there. Where they part comes with it.

    Args:
        request: As in ``as_sent``.
        neighbour: Another request as sent.
        order: As in ``as_sent``.

    Raises:
        CanonicalJsonError: As in ``as_sent``.
    """
    if isinstance(request, (str, bytes)):
        try:
            text = request.encode() if isinstance(request, str) else request
            if text == neighbour.text:
                return neighbour, None
            sample = text[::_SAMPLED]
            is_worth_it = not neighbour.is_compact or sample.count(b'"') * _LENGTH_PER_QUOTE < len(sample)
            if is_worth_it and (found := _of_one_other_text(text, neighbour)):
                return found
        except ValueError:  # No end of that text, no JSON, no UTF-8.
            pass  # Reading all of it finds where.
    return as_sent(request, order), None


_LENGTH_PER_QUOTE = 160
"""Bytes for each quote, below which walking from text to text takes longer than reading compact JSON."""

_SAMPLED = 61
"""One byte in so many is looked at for quotes; no multiple of what members of a list usually take."""


def _of_one_other_text(text: bytes, neighbour: Document) -> tuple[Document, Place] | None:
    place = Walker(neighbour.text).to(common_beginning(neighbour.text, text))
    if place.within is not Within.TEXT:
        return None
    start, end = place.token, end_of_string(text, place.token)
    rest = neighbour.text[end_of_string(neighbour.text, start) :]
    if len(text) - end != len(rest) or not text.endswith(rest):
        return None
    token = text[start:end]
    member = orjson.loads(token)
    is_canonical = orjson.dumps(member) == token
    document = Document(
        text,
        _with_member(neighbour.value, place.path, member),
        is_compact=neighbour.is_compact and is_canonical,
        is_canonical=neighbour.is_canonical and is_canonical,
    )
    return document, place


def _with_member(value: Any, path: JsonPath, member: Any) -> Any:
    """A copy of a value with another member at a path; whatever the path does not pass is shared."""
    if not path:
        return member
    first, *rest = path
    copy = value.copy()
    copy[first] = _with_member(value[first], tuple(rest), member)
    return copy
