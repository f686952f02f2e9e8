"""Reads the requests that a command is given."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from warmroute.client.body_size import MAX_BODY_BYTES
from warmroute.errors import DocumentError

RequestArgument = Annotated[str, typer.Argument(metavar="REQUEST", help="A JSON request body; - reads standard input.")]


class Api(StrEnum):
    """What SageMaker compares of a request."""

    INVOKE = "invoke"
    OPENAI = "openai"


ApiOption = Annotated[Api, typer.Option("--api", help="invoke compares bytes of the body, openai message text.")]
PrefixLengthOption = Annotated[
    int, typer.Option(help="PrefixLength: longest beginning compared.", min=1_024, max=65_536)
]


def read_request(path: str) -> bytes:
    """The body in a file, or on standard input for ``-``.

    Raises:
        DocumentError: It cannot be read, or is larger than SageMaker takes.
    """
    data = _read(path, MAX_BODY_BYTES + 1)
    if len(data) > MAX_BODY_BYTES:
        raise DocumentError(f"{path}: more than the {MAX_BODY_BYTES:,} bytes of a request.", "Is it a trace?")
    return data


def read_requests(path: str) -> list[tuple[int, bytes]]:
    """Line number and body of every request in a file: one JSON document, or one on each line.

    A line of OpenAI's batch format stands for its ``body``, as it is written there.

    Raises:
        DocumentError: It cannot be read.
    """
    import orjson

    data = _read(path)
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    try:
        orjson.loads(data)
        lines = [(1, data)]
    except orjson.JSONDecodeError:
        pass  # Not one document, so one on each line.
    return [(number, _batch_body(line)) for number, line in lines]


def _batch_body(line: bytes) -> bytes:
    import orjson

    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    is_batch = isinstance(value, dict) and {"custom_id", "body"} <= value.keys() and isinstance(value["body"], dict)
    return _text_of_member(line.decode(), "body").encode() if is_batch else line


def _text_of_member(text: str, name: str) -> str:
    """The text of a member of a JSON object, which a parser would rewrite: it drops duplicate keys, for one."""
    import json

    decoder = json.JSONDecoder(parse_int=str, parse_float=str)  # As text, since Python limits the digits of an int.
    found = ""
    at = _behind_marks(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        start = _behind_marks(text, at)
        _, end = decoder.raw_decode(text, start)
        if key == name:
            found = text[start:end]
        at = _behind_marks(text, end)
    return found


def _behind_marks(text: str, at: int) -> int:
    while text[at] in " \t\r\n:,":
        at += 1
    return at


def _read(path: str, limit: int = -1) -> bytes:
    if path == "-":
        if sys.stdin is None:
            raise DocumentError("Standard input is closed.", "Give the path of a file instead of -.")
        return sys.stdin.buffer.read(limit)
    try:
        with Path(path).open("rb") as file:
            return file.read(limit)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DocumentError(f"{path}: {reason}.", "Give the path of a file with JSON.") from None
