"""The law of a digest in the plainest words, for requests and for captured lines."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from datetime import UTC, datetime

import orjson

from warmroute.prefix.key import message_texts
from warmroute.traffic.digest.metadata import DigestMetadata
from warmroute.traffic.record import TrafficRequest

SHORT = DigestMetadata(ladder=(1, 3, 5, 9), chunk_characters=2)
BEFORE = ("cache_salt", "tools", "functions", "documents", "chat_template", "chat_template_kwargs")


def hashed(whole: str | bytes) -> int:
    data = whole.encode() if isinstance(whole, str) else whole
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big", signed=True)


def row(request: TrafficRequest, metadata: DigestMetadata = SHORT) -> dict[str, object]:
    """The row of a request."""
    body, text, size = request.body, request.text, metadata.chunk_characters
    has_blocks = text is None and request.block_hashes
    blocks = [(block + 2**63) % 2**64 - 2**63 for block in request.block_hashes]
    chunks = None if text is None else [hashed(text[at : at + size]) for at in range(0, len(text) - size + 1, size)]
    return {
        "request": request.request_id or f"{request.source}:{request.line}",
        "arrival_seconds": request.arrival_seconds,
        "arrival_resolution_seconds": request.arrival_resolution_seconds,
        "session": hashed(request.session) if request.session else None,
        "turn": request.turn,
        "api": request.api,
        "prefix_aware_id": hashed(request.prefix_aware_id) if request.prefix_aware_id else None,
        "body_bytes": None if body is None else len(body),
        "text_characters": None if text is None else len(text),
        "input_tokens": request.input_tokens,
        "output_tokens": request.output_tokens,
        "byte_keys": None if body is None else [hashed(body[:length]) for length in metadata.ladder],
        "text_keys": None if text is None else [hashed(text[:length]) for length in metadata.ladder],
        "root": hashed(f"{len(request.adapter)}:{request.adapter}{request.prompt_root}"),
        "chunks": blocks if has_blocks else chunks,
        "chunk_tokens": request.block_tokens if has_blocks else None,
    }


def in_order(requests: list[TrafficRequest]) -> list[TrafficRequest]:
    """Requests as a digest has them."""
    return sorted(requests, key=lambda one: (one.arrival_seconds is None, one.arrival_seconds or 0))


def captured(source: str, number: int, line: bytes, session_field: str = "") -> TrafficRequest | str:
    """The request of a captured line, or why it is none; nothing for a blank one."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    if not line.strip():
        return ""
    value = parsed(line)
    return (
        call(source, number, value, session_field)
        if value is not None
        else "not a JSON object"
        if is_json(line)
        else "not JSON"
    )


def call(source: str, number: int, value: dict, session_field: str) -> TrafficRequest | str:
    """The request of a captured call, or why it is none."""
    part, event = value.get("captureData", {}).get("endpointInput", {}), value.get("eventMetadata", {})
    body = data_of(part)
    if isinstance(body, str):
        return body
    time = event.get("inferenceTime")
    at = None if time is None else instant(time)
    if time is not None and at is None:
        return "inferenceTime is not a date and time"
    request = parsed(body) or {}
    answer = data_of(value["captureData"].get("endpointOutput", {}))
    usage = ((parsed(answer) or {}).get("usage") if isinstance(answer, bytes) else None) or {}
    told = TrafficRequest(
        source=source,
        line=number,
        request_id=event.get("eventId") or "",
        arrival_seconds=at[0] if at else None,
        arrival_resolution_seconds=at[1] if at else 0.0,
        session=as_text(event.get(session_field)) if session_field else "",
        prefix_aware_id=as_text(request.get("prompt_cache_key")),
        adapter=as_text(request.get("model")),
        body=body,
        text=text_of(request),
        prompt_root="".join(member(name, request.get(name)) for name in BEFORE),
        input_tokens=usage.get("prompt_tokens", usage.get("input_tokens")),
        output_tokens=usage.get("completion_tokens", usage.get("output_tokens")),
    )
    if told.text == "":
        return "the prompt has no text"
    return told if body or told.input_tokens else "no prompt, nor how many tokens it had"


def parsed(data: bytes) -> dict | None:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def without_repeated(read: list[TrafficRequest | str]) -> list[TrafficRequest | str]:
    """The same, with ids met before as rejects."""
    seen = set()
    found: list[TrafficRequest | str] = []
    for each in read:
        is_repeated = not isinstance(each, str) and each.request_id in seen
        found.append("an id met before" if is_repeated else each)
        if not isinstance(each, str) and each.request_id:
            seen.add(each.request_id)
    return found


def is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True


def data_of(part: dict) -> bytes | str:
    """Captured bytes, or what is wrong with them."""
    data = part.get("data")
    if data is None:
        return "no input was captured"
    if not isinstance(data, str):
        return "captured data are not a text"
    if part.get("encoding") != "BASE64":
        return data.encode()
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "captured data are not in base64"


def text_of(request: dict) -> str | None:
    if isinstance(request.get("messages"), list):
        return "".join(text for _, text in message_texts(request))
    for name in ("prompt", "inputs"):
        found = request.get(name)
        if isinstance(found, str):
            return found
        if isinstance(found, list) and found and all(isinstance(each, str) for each in found):
            return "".join(found)
    return None


def as_text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    written = orjson.dumps(value).decode()  # Engines write control characters with capital letters.
    return re.sub(r"\\(\\|u00[0-9a-f]{2})", lambda found: "\\" + found[1][:1] + found[1][1:].upper(), written)


def member(name: str, value: object) -> str:
    text = as_text(value)
    return "" if text in ("", "[]", "{}") else f"{name}={len(text)}:{text}"


def instant(time: object) -> tuple[float, float] | None:
    try:
        moment = datetime.fromisoformat(str(time))
    except ValueError:
        return None
    digits = len(str(time).partition(".")[2].rstrip("Z"))
    at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return (at, 10.0**-digits) if at >= 0 else None
