"""One answer as it streams in: when its tokens came, and what the endpoint says of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.client.chat.reply import Usage, first_choice, usage_of
from warmroute.client.chat.server_sent_events import ServerSentEvents
from warmroute.measure.replay.event_stream import EventStreamReader
from warmroute.measure.replay.http.errors import ExchangeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST_ERROR = 1 << 16
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,63}")


class Answer:
    """What has arrived of an answer.

    Args:
        clock: The time in seconds, of the clock that requests are planned by.
        in_event_stream: Whether the answer comes in AWS's event stream.
    """

    def __init__(self, clock: Callable[[], float], *, in_event_stream: bool) -> None:
        self._clock = clock
        self._unwrap = EventStreamReader() if in_event_stream else None
        self._events = ServerSentEvents()
        self._refusal = bytearray()
        self._done = False
        self.status = 0
        """HTTP status; 0 before there is one."""
        self.headers: Mapping[str, str] = {}
        self.latest_at = clock()
        """When anything arrived last; before that, when the answer was expected first."""
        self.first_token_at: float | None = None
        self.last_token_at: float | None = None
        self.chunks = 0
        """Chunks with a token or more."""
        self.usage: Usage | None = None

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """The status line and headers are in."""
        self.latest_at = self._clock()
        self.status, self.headers = status, headers

    def part(self, data: bytes) -> None:
        """Some more of the body is in.

        Raises:
            ExchangeError: It is no streamed answer, or tells of an error.
        """
        self.latest_at = self._clock()
        if self.status != 200:
            self._refusal += data[: _LONGEST_ERROR - len(self._refusal)]
            return
        for payload in (data,) if self._unwrap is None else self._unwrap.feed(data):
            for event in self._events.feed(payload):
                if event == b"[DONE]":
                    self._done = True
                else:
                    self._take(event)

    def check(self) -> None:
        """Refuse an answer that is none; call it at its end.

        Raises:
            ExchangeError: It is a refusal, or ended early.
        """
        if self.status != 200:
            raise ExchangeError(refusal(self.status, self.headers, bytes(self._refusal)))
        if self.first_token_at is None:
            raise ExchangeError("no token")
        if not self._done:
            raise ExchangeError("broke off")

    def _take(self, event: bytes) -> None:
        try:
            chunk = orjson.loads(event)
        except orjson.JSONDecodeError:
            raise ExchangeError("not a chunk of a chat completion") from None
        if not isinstance(chunk, dict):
            raise ExchangeError("not a chunk of a chat completion")
        if chunk.get("error") or chunk.get("object") == "error":
            raise ExchangeError(_word(chunk.get("error") or chunk) or "error of the engine")
        choice = first_choice(chunk)
        if choice is not None:
            ends, has_token = choice.get("finish_reason") is not None, _has_token(choice)
            self._done = self._done or ends
            self.chunks += has_token
            if has_token or (ends and self.first_token_at is None):  # Tokens without text are tokens all the same.
                self.last_token_at = self.latest_at
                if self.first_token_at is None:
                    self.first_token_at = self.latest_at
        self.usage = usage_of(chunk) or self.usage


def _has_token(choice: Mapping[str, Any]) -> bool:
    """Whether a chunk brings a token, which has no text where a character is not whole yet.

    It is not the role that the first chunk of some engines brings alone, nor the end that their last one does.
    """
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        delta = {"content": choice.get("text")}
    if any(value for name, value in delta.items() if name != "role"):
        return True
    return delta.get("content") == "" and not delta.get("role") and choice.get("finish_reason") is None


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> str:
    """What a refusal is called: ``ThrottlingException 400``, ``ModelError 424 (404)``; nothing of its message.

    Args:
        status: HTTP status.
        headers: With names in lower case.
        body: JSON, as a rule.
    """
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        told = None
    told = told if isinstance(told, dict) else {}
    named = headers.get("x-amzn-errortype", "").partition(":")[0]
    code = named if _WORD.fullmatch(named) else _word(told.get("error")) or _word(told) or "HTTP"
    original = told.get("OriginalStatusCode")
    return f"{code} {status} ({original})" if type(original) is int else f"{code} {status}"


def _word(error: object) -> str:
    """The name of an error; anything but one word may be text of the request."""
    if not isinstance(error, dict):
        return ""
    for name in ("type", "code", "__type"):
        kind = error.get(name)
        if isinstance(kind, str) and _WORD.fullmatch(kind):
            return kind
    return ""
