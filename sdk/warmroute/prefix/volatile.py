"""Text inside the routing window of a request that probably changes from call to call, and so scatters its prefix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.prefix.canonical import value_and_bytes
from warmroute.prefix.canonical_error import text_of
from warmroute.prefix.field_order import TAIL
from warmroute.prefix.json_place import JsonPath, Walker
from warmroute.prefix.key import check_prefix_length, check_request, compared, message_texts
from warmroute.prefix.redaction import shape
from warmroute.prefix.unescaped_text import UnescapedText
from warmroute.prefix.volatile_text import volatile_spans

if TYPE_CHECKING:
    from warmroute.inference_api import Api
    from warmroute.prefix.volatile_kind import VolatileKind


@dataclass(frozen=True, slots=True)
class Volatile:
    """A piece of text that probably changes from call to call."""

    kind: VolatileKind
    path: str
    """Where in the request: ``messages[0].content``."""

    offset: int
    """Where it begins: bytes of the body ("invoke") or characters of the message text ("openai")."""

    text: str
    """Its form, letters as x and digits as 0; the text itself if asked for."""

    remedy: str


def find_volatile(
    request: Mapping[str, Any] | str | bytes,
    *,
    api: Api,
    prefix_length: int,
    redact: bool = True,
) -> list[Volatile]:
    """What in the routing window of a request probably changes from call to call.

    A single request cannot tell a fixed date from today's, so a finding is a question. None is asked about what cannot
    scatter a prefix: text beyond the window; replies, tool results and what follows them, which stay once appended;
    and the last message, where volatile text belongs. System and developer messages count wherever they stand, since
    programs rebuild them for each call.

    Args:
        request: JSON text exactly as sent, or Python values, taken as sent by ``canonical_json``.
        api: What SageMaker compares, as in ``routing_key``.
        prefix_length: Longest beginning that it compares.
        redact: Show only the form of what is found; False shows the text, which is part of a prompt.

    Returns:
        The findings, in the order of their offsets.

    Raises:
        CanonicalJsonError: The request is not JSON, or not the same to every parser.
        InvalidSettingsError: As ``routing_key``: a length, or a request that does not fit the API; another kind of
            request.
    """
    check_prefix_length(prefix_length)
    check_request(request)
    value, canonical = value_and_bytes(request)
    body = canonical if isinstance(request, Mapping) else _bytes(request)
    whole = compared(body if api == "invoke" else value, api)
    found = _in_body(whole, prefix_length) if isinstance(whole, bytes) else _in_messages(value, prefix_length)
    settled = _settled_messages(value)
    return [
        Volatile(
            kind=kind,
            path=text_of(path),
            offset=offset,
            text=shape(text) if redact else text,
            remedy=_MOVE_FIELD if path and path[0] in TAIL else kind.remedy,
        )
        for kind, path, offset, text in found
        if path[:2] not in settled and not _stays(path)
    ]


_MOVE_FIELD = (
    "Send canonical_json(request), which puts this field after the prompt; "
    "if it is there already, the request is shorter than prefix_length."
)

_BEYOND = 80
"""Characters read beyond the window, so that what begins in it is seen whole."""


class _Found(NamedTuple):
    kind: VolatileKind
    path: JsonPath
    offset: int
    text: str


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _in_body(body: bytes, prefix_length: int) -> Iterator[_Found]:
    window = UnescapedText(body[: prefix_length + _BEYOND])
    walker = Walker(body)
    for span in volatile_spans(window.text):
        offset = window.byte_offset(span.start)
        if offset >= prefix_length:
            return
        yield _Found(span.kind, walker.to(offset).path, offset, window.text[span.start : span.end])


def _in_messages(request: Any, prefix_length: int) -> Iterator[_Found]:
    begin = 0
    for path, text in message_texts(request):  # Text by text, since they follow each other without a separator.
        for span in volatile_spans(text[: prefix_length - begin + _BEYOND]):
            if begin + span.start < prefix_length:
                yield _Found(span.kind, path, begin + span.start, text[span.start : span.end])
        begin += len(text)
        if begin >= prefix_length:
            return


def _stays(path: JsonPath) -> bool:
    """Whether text names a model or a tool, or is a value in a schema: the same, however much it looks like an id."""
    if path and path[0] in _DEFINITIONS:
        names = [part for part in path if isinstance(part, str)]
        return names[-1] in _SAME_IN_EVERY_CALL
    return path == ("model",)


_DEFINITIONS = frozenset({"tools", "functions", "tool_choice", "response_format"})
_SAME_IN_EVERY_CALL = frozenset(
    {"name", "default", "enum", "const", "example", "examples", "format", "pattern", "$id", "$schema"}
)


def _settled_messages(request: Any) -> set[JsonPath]:
    """Paths of the messages whose text stays as it is once sent, and of the last one, which is new anyway."""
    messages = request.get("messages") if isinstance(request, Mapping) else None
    if not isinstance(messages, (list, tuple)):
        return set()
    given = [message.get("role") if isinstance(message, Mapping) else None for message in messages]
    roles = [role if isinstance(role, str) else None for role in given]
    first_reply = next((position for position, role in enumerate(roles) if role not in _BEFORE_REPLY), len(roles))
    settled = {position for position in range(first_reply, len(roles)) if roles[position] not in _REBUILT}
    if len(roles) > 1:
        settled.add(len(roles) - 1)
    return {("messages", position) for position in settled}


_REBUILT = frozenset({"system", "developer"})
_BEFORE_REPLY = _REBUILT | {"user"}
