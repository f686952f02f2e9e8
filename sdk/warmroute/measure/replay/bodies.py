"""What is sent for a recorded request: its prompt, with sampling that makes runs comparable."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from warmroute.measure.replay.json_members import edited
from warmroute.measure.replay.synthetic_text import synthetic_text
from warmroute.prefix import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.measure.replay.options import Sending
    from warmroute.traffic import TrafficRequest

_CHARACTERS_PER_TOKEN = 4
_LENGTHS = ("max_tokens", "max_completion_tokens")
_STOPS = ("stop", "stop_token_ids", "min_tokens", "ignore_eos")


class Body(NamedTuple):
    """A body that lacks nothing but the run's ``cache_salt``."""

    data: bytes
    """A JSON object."""

    salt: str
    """The recorded ``cache_salt``, which is not in ``data``; empty for none."""

    def salted(self, salt: str) -> bytes:
        """The body with a ``cache_salt`` behind all else, so that what routing compares begins as recorded.

        Args:
            salt: That of the run; where the trace has salts, both together, which part prompts as the recorded ones do.
        """
        own = f"{salt}.{self.salt}" if self.salt else salt
        return self.data[:-1] + b',"cache_salt":' + orjson.dumps(own) + b"}"


class Bodies:
    """Makes the bodies of a replay, and counts where it could not send what was recorded.

    Args:
        sending: How.
        chat_only: Whether the target takes chats alone, so that a bare prompt becomes a message.
    """

    def __init__(self, sending: Sending, *, chat_only: bool) -> None:
        self._sending = sending
        self._chat_only = chat_only
        self.notes: Counter[str] = Counter()
        """How many requests something had to be done for, by what was done."""

    def body_of(self, request: TrafficRequest) -> Body:
        """The body of a request."""
        raw, fields = self._recorded(request)
        sending = self._sending
        tokens = self._output_tokens(request, fields)
        added: dict[str, Any] = {"max_tokens": tokens}
        removed = {*_LENGTHS, "stream", "stream_options"}
        if sending.fixed_length:
            removed.update(_STOPS)
            added["ignore_eos"] = True
        if sending.temperature is not None:
            removed.add("temperature")
            added["temperature"] = sending.temperature
        added |= {"stream": True, "stream_options": {"include_usage": True}}
        salt = ""
        if sending.cache_salt and isinstance(fields.get("cache_salt"), str):
            salt = fields["cache_salt"]
            removed.add("cache_salt")
        if request.prefix_aware_id and self._chat_only and "prompt_cache_key" not in fields:
            added["prompt_cache_key"] = request.prefix_aware_id
        return Body(self._written(raw, fields, removed, added), salt)

    def _recorded(self, request: TrafficRequest) -> tuple[bytes | None, Mapping[str, Any]]:
        """The recorded body, as it was written if it may stay so, and its fields."""
        fields = _object(request.body)
        if fields is not None and (
            isinstance(fields.get("messages"), list) or (isinstance(fields.get("prompt"), str) and not self._chat_only)
        ):
            return (request.body if self._sending.bodies == "recorded" else None), fields
        if request.text is not None:
            self.notes["sent as one message of their text"] += 1
            text = request.text
        else:
            self.notes["sent as made-up text of the recorded length and shared beginnings"] += 1
            text = synthetic_text(request)
        kept = {name: fields[name] for name in ("model", "cache_salt", *_LENGTHS) if name in fields} if fields else {}
        return None, {**kept, "messages": [{"role": "user", "content": text}]}

    def _output_tokens(self, request: TrafficRequest, fields: Mapping[str, Any]) -> int:
        if request.output_tokens is not None:
            return max(1, request.output_tokens)
        if request.output_characters is not None:
            self.notes["given an output length from the characters of the recorded answer"] += 1
            return max(1, request.output_characters // _CHARACTERS_PER_TOKEN)
        for name in _LENGTHS[::-1]:
            limit = fields.get(name)
            if type(limit) is int and limit > 0:
                self.notes["given their limit as output length, since the answer's is not recorded"] += 1
                return limit
        self.notes[f"given {self._sending.default_output_tokens} output tokens, since no length is recorded"] += 1
        return self._sending.default_output_tokens

    def _written(
        self, raw: bytes | None, fields: Mapping[str, Any], removed: set[str], added: Mapping[str, Any]
    ) -> bytes:
        model = self._sending.model
        if raw is None:
            kept = {name: value for name, value in fields.items() if name not in removed}
            return canonical_json({**kept, **added, **({"model": model} if model else {})})
        name = "" if model is None else orjson.dumps(model).decode()
        return edited(
            raw.decode(),
            without=removed,
            replaced={"model": name} if name else {},
            first=f'"model":{name}' if name and "model" not in fields else "",
            last=orjson.dumps(added).decode()[1:-1],
        ).encode()


def new_salt() -> str:
    """A ``cache_salt`` that no run had before."""
    return f"warmroute-{secrets.token_hex(8)}"


def _object(body: bytes | None) -> dict[str, Any] | None:
    if body is None:
        return None
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
