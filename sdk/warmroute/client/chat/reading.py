"""Reads the container's answer, whole or in pieces, into a ``ChatReply``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from warmroute.client.chat.errors import interrupted, unreadable
from warmroute.client.chat.reply import ChatReply, ToolCall, Usage, first_choice, usage_of
from warmroute.client.chat.server_sent_events import ServerSentEvents


def read_reply(body: bytes, variant: str) -> ChatReply:
    """A whole answer.

    Args:
        body: What the container sent.
        variant: Production variant that served it.

    Raises:
        UnexpectedReplyError: It is not a chat completion.
    """
    answer = _object(body)
    choice = first_choice(answer) if answer is not None else None
    message = choice.get("message") if choice is not None else None
    if answer is None or choice is None or not isinstance(message, Mapping):
        raise unreadable(body)
    calls = _ToolCalls()
    calls.add(message.get("tool_calls"), whole=True)
    return ChatReply(
        text=_text(message),
        tool_calls=calls.whole(),
        finish_reason=_word(choice.get("finish_reason")),
        usage=usage_of(answer),
        variant=variant,
        body=answer,
    )


class StreamReader:
    """Reads a streamed answer part by part.

    Args:
        variant: Production variant that serves it.
    """

    def __init__(self, variant: str) -> None:
        self._variant = variant
        self._events = ServerSentEvents()
        self._texts: list[str] = []
        self._calls = _ToolCalls()
        self._finish_reason: str | None = None
        self._usage: Usage | None = None
        self._done = False

    @property
    def reply(self) -> ChatReply:
        """The reply as far as it was read."""
        return ChatReply("".join(self._texts), self._calls.whole(), self._finish_reason, self._usage, self._variant)

    def feed(self, part: bytes) -> Iterator[Mapping[str, Any]]:
        """The chunks that this part completes.

        Args:
            part: The next bytes of the answer, cut anywhere.

        Raises:
            UnexpectedReplyError: An event is not a chunk of a chat completion.
            ModelStreamError: The engine reports an error.
        """
        for event in self._events.feed(part):
            if event == b"[DONE]":
                self._done = True
                continue
            chunk = _object(event)
            if chunk is None:
                raise unreadable(event, self.reply)
            if chunk.get("error") or chunk.get("object") == "error":
                raise interrupted(_error_type(chunk.get("error") or chunk), self.reply)
            self._add(chunk)
            yield chunk

    def end(self) -> None:
        """Check that the reply is complete; call it at the end of the stream.

        Raises:
            ModelStreamError: The stream ended before the reply did.
        """
        if not self._done and self._finish_reason is None:
            raise interrupted("", self.reply)

    def _add(self, chunk: Mapping[str, Any]) -> None:
        self._usage = usage_of(chunk) or self._usage
        choice = first_choice(chunk)
        if choice is None:
            return
        self._finish_reason = _word(choice.get("finish_reason")) or self._finish_reason
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            self._texts.append(_text(delta))
            self._calls.add(delta.get("tool_calls"))


def text_of(chunk: Mapping[str, Any]) -> str:
    """The text that a chunk adds to the first choice."""
    choice = first_choice(chunk)
    delta = choice.get("delta") if choice is not None else None
    return _text(delta) if isinstance(delta, Mapping) else ""


class _ToolCalls:
    """Tool calls, whole or as they arrive: the arguments in pieces, each with the position of its call."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, str]] = {}

    def add(self, calls: object, *, whole: bool = False) -> None:
        """Take in a list of calls; of a whole message, each is a call of its own, whatever its index."""
        for position, call in enumerate(calls if isinstance(calls, list) else ()):
            if not isinstance(call, Mapping):
                continue
            index = call.get("index")
            known = self._calls.setdefault(
                index if type(index) is int and not whole else position, {"id": "", "name": "", "arguments": ""}
            )
            given = call.get("function")
            function = given if isinstance(given, Mapping) else {}
            # Some engines repeat id and name in every piece.
            known["id"] = known["id"] or _word(call.get("id")) or ""
            known["name"] = known["name"] or _word(function.get("name")) or ""
            known["arguments"] += _arguments(function.get("arguments"))

    def whole(self) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(**call) for call in self._calls.values())


def _object(text: bytes) -> Mapping[str, Any] | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _arguments(value: object) -> str:
    """Arguments as JSON text; some containers send them as an object."""
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode() if isinstance(value, Mapping) else ""


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


_WORD = re.compile(r"[A-Za-z_]{1,64}")


def _error_type(error: object) -> str:
    """The engine's name for an error; anything but one word may be text of the request."""
    kind = error.get("type") if isinstance(error, Mapping) else None
    return kind if isinstance(kind, str) and _WORD.fullmatch(kind) else "error of the engine"
