"""What canonical JSON costs a client, against ``orjson.dumps`` and the ``rfc8785`` package on the same request."""

import importlib.util

import orjson

from benchmarks.prefix_requests import chat
from benchmarks.report import line
from benchmarks.timing import seconds_each
from warmroute.prefix import canonical_json


def run() -> None:
    """A chat of 61 messages in 32 KB, and one of 8 messages in 256 KB."""
    for messages, kilobytes, goal in ((61, 32, 2.0), (8, 256, 1.3)):
        request = chat(messages, kilobytes * 1024)
        ours, theirs = seconds_each(
            lambda: canonical_json(request),  # noqa: B023
            lambda: orjson.dumps(request),  # noqa: B023
            runs=60,
            calls=100,
        )
        line(f"canonical_json / orjson.dumps, {kilobytes} KB", ours, theirs, goal)
        _against_rfc8785(request, ours, kilobytes)


def _against_rfc8785(request: dict[str, object], ours: float, kilobytes: int) -> None:
    what = f"canonical_json / rfc8785, {kilobytes} KB"
    if importlib.util.find_spec("rfc8785") is None:
        print(f"{what:<44}skipped: rfc8785 is not installed")
        return
    import rfc8785

    (theirs,) = seconds_each(lambda: rfc8785.dumps(request))  # type: ignore[arg-type]
    line(what, ours, theirs, 1 / 20)
