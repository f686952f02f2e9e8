"""The generated traffic as SageMaker's Data Capture writes it: a folder an hour, a file for each instance and time."""

from __future__ import annotations

import base64
import random
import secrets
import shutil
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.errors import DocumentError, WarmrouteError
from warmroute.traffic.sample.conversations import calls

if TYPE_CHECKING:
    from types import TracebackType
    from typing import BinaryIO, Self

    from warmroute.traffic.sample.conversations import Call

ENDPOINT = "support-assistant"
VARIANT = "main"
BASE64_EVERY = 3
BROKEN_EVERY = 250
MAX_REQUESTS = 1_000_000

_START = datetime(2026, 9, 14, 8, 0, tzinfo=UTC)
_INSTANCES = 2
_FILE_SECONDS = 600
"""How long an instance goes on writing to one file."""


@dataclass(frozen=True, slots=True)
class SampleFolder:
    """What was generated."""

    path: Path
    """The folder of the endpoint."""

    requests: int
    broken_lines: int
    files: int


def write_sample(folder: str | Path, *, requests: int = 2_000, seed: int = 7, hours: float = 1.0) -> SampleFolder:
    """Generate a folder of captured traffic: ``<endpoint>/<variant>/yyyy/mm/dd/hh/<file>.jsonl``.

    Args:
        folder: Where the endpoint's folder is made; made itself if need be.
        requests: How many calls are captured; about 17 KB each.
        seed: The same arguments give the same bytes; another seed other texts, tenants and times of the same kind.
        hours: Time in which conversations begin.

    Raises:
        WarmrouteError: A number out of range.
        DocumentError: The endpoint's folder exists, or cannot be written.
    """
    if not 1 <= requests <= MAX_REQUESTS or not 0.01 <= hours <= 10_000:
        raise WarmrouteError(
            f"{requests} requests in {hours} hours.", f"Give 1 to {MAX_REQUESTS:,} requests in 0.01 to 10,000 hours."
        )
    target = Path(folder, ENDPOINT)
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        if target.exists():
            raise DocumentError(f"{target}: it exists.", "Choose another folder, or remove it.")
        partial.mkdir(parents=True)
        broken, files = _write(partial / VARIANT, requests, seed, hours)
        partial.rename(target)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DocumentError(f"{target}: {reason}.", "Choose a folder that has room and can be written.") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return SampleFolder(target, requests, broken, files)


def _write(folder: Path, requests: int, seed: int, hours: float) -> tuple[int, int]:
    """Write all files; how many lines are broken, and how many files there are."""
    rng = random.Random(f"capture {seed}")  # noqa: S311 - no secret.
    broken = 0
    with _Files(folder, rng) as files:
        for number, call in enumerate(calls(requests, seed=seed, seconds=hours * 3_600)):
            files.add(call.at_seconds, orjson.dumps(_event(call, rng)))
            if number % BROKEN_EVERY == BROKEN_EVERY // 2:
                files.add(call.at_seconds, _broken(call, rng, broken % 4))
                broken += 1
    return broken, files.count


class _Files:
    """The files that the instances write to, one after the other."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.count = 0
        self._folder, self._rng = folder, rng
        self._period = 0
        self._open: dict[tuple[int, int], BinaryIO] = {}

    def add(self, at_seconds: float, line: bytes) -> None:
        """Write a line to the file of one of the instances."""
        if (period := int(at_seconds // _FILE_SECONDS)) != self._period:
            self._close()
            self._period = period
        when = _time(at_seconds)
        key = self._rng.randrange(_INSTANCES), when.hour
        if key not in self._open:
            name = f"{when:%M-%S}-{when.microsecond // 1_000:03d}-{_uuid(self._rng)}.jsonl"
            path = self._folder / f"{when:%Y/%m/%d/%H}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open[key] = path.open("wb")
            self.count += 1
        self._open[key].write(line + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        for file in self._open.values():
            file.close()
        self._open = {}


def _time(at_seconds: float) -> datetime:
    return _START + timedelta(seconds=at_seconds)


def _event(call: Call, rng: random.Random) -> dict[str, Any]:
    when = _time(call.at_seconds)
    in_base64 = call.tenant.number % BASE64_EVERY == 2
    content_type = "application/json; charset=utf-8" if in_base64 else "application/json"
    answer = {
        "id": f"chatcmpl-{rng.getrandbits(64):016x}",
        "object": "chat.completion",
        "created": int(when.timestamp()),
        "model": ENDPOINT,
        "choices": [
            {
                "index": 0,
                "message": call.answer,
                "finish_reason": "tool_calls" if call.answer["content"] is None else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
            "total_tokens": call.prompt_tokens + call.completion_tokens,
        },
    }
    return {
        "captureData": {
            "endpointInput": _captured("INPUT", content_type, call.body, in_base64=in_base64),
            "endpointOutput": _captured("OUTPUT", content_type, orjson.dumps(answer), in_base64=in_base64),
        },
        "eventMetadata": {"eventId": _uuid(rng), "inferenceTime": f"{when:%Y-%m-%dT%H:%M:%SZ}"},
        "eventVersion": "0",
    }


def _captured(mode: str, content_type: str, data: bytes, *, in_base64: bool) -> dict[str, str]:
    return {
        "observedContentType": content_type,
        "mode": mode,
        "data": (base64.b64encode(data) if in_base64 else data).decode(),
        "encoding": "BASE64" if in_base64 else "JSON",
    }


def _broken(call: Call, rng: random.Random, way: int) -> bytes:
    """A line that is no request: cut off, of a cut-off body, of damaged base64, or without what was captured."""
    event = _event(call, rng)
    captured = event["captureData"]["endpointInput"]
    if way == 0:
        return orjson.dumps(event)[: len(call.body) // 2]
    if way == 1:
        captured.update(encoding="JSON", data=call.body.decode()[: len(call.body) // 2])
    elif way == 2:
        captured.update(encoding="BASE64", data=base64.b64encode(call.body).decode()[:-3] + "%")
    else:
        del event["captureData"]
    return orjson.dumps(event)


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
