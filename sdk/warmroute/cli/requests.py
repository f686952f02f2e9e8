"""Reads the requests that a command is given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from warmroute.errors import DocumentError
from warmroute.inference_api import Api

RequestArgument = Annotated[str, typer.Argument(metavar="REQUEST", help="A JSON request body; - reads standard input.")]


ApiOption = Annotated[Api, typer.Option("--api", help="invoke compares bytes of the body, openai message text.")]
PrefixLengthOption = Annotated[
    int, typer.Option(help="PrefixLength: longest beginning compared.", min=1_024, max=65_536)
]


def read_request(path: str) -> bytes:
    """The body in a file, or on standard input for ``-``.

    Raises:
        DocumentError: It cannot be read, or is larger than SageMaker takes.
    """
    from warmroute.client.body_size import MAX_BODY_BYTES

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

    from warmroute.traffic.readers.openai_batch import request_body

    data = _read(path)
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    try:
        orjson.loads(data)
        lines = [(1, data)]
    except orjson.JSONDecodeError:
        pass  # Not one document, so one on each line.
    return [(number, request_body(line)) for number, line in lines]


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
