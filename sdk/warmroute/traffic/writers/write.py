"""Writes requests in a format that other tools read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.traffic.writers.aiperf import AiperfWriter
from warmroute.traffic.writers.anonymised import AnonymisedWriter
from warmroute.traffic.writers.hashed_trace import MooncakeWriter, VllmTimedTraceWriter
from warmroute.traffic.writers.in_time import InTime
from warmroute.traffic.writers.lengths import MAX_TOKENS
from warmroute.traffic.writers.line_writer import PARTS, LeftOutError, LineWriter
from warmroute.traffic.writers.openai_batch import OpenAIBatchWriter
from warmroute.traffic.writers.output import opened_output
from warmroute.traffic.writers.raw_payload import RawPayloadWriter
from warmroute.traffic.writers.vllm_custom import VllmCustomWriter
from warmroute.traffic.writers.written import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from warmroute.traffic.entries.rejects import Rejects
    from warmroute.traffic.record import TrafficRequest

WRITERS: dict[str, type[LineWriter]] = {
    "mooncake": MooncakeWriter,
    "anonymised": AnonymisedWriter,
    "aiperf": AiperfWriter,
    "aiperf-raw-payload": RawPayloadWriter,
    "vllm-custom": VllmCustomWriter,
    "vllm-timed": VllmTimedTraceWriter,
    "openai-batch": OpenAIBatchWriter,
}
"""Every format that can be written, by its name."""

_LATEST_SECONDS = 1e11
"""Beyond any date: an arrival time that is not one."""

_LEAST_STEP_SECONDS = 0.001


def write_traffic(
    requests: Iterable[TrafficRequest],
    path: str | Path,
    *,
    format: str,  # noqa: A002
    overwrite: bool = False,
    rejects: Rejects | None = None,
    output_tokens: int | None = None,
    time_step_seconds: float = 0.0,
) -> Written:
    """Write requests in the order of their arrival, one a line; the file appears when it is complete.

    Times are counted from the first request. Lines that do not fit into memory are sorted in a temporary file.

    Args:
        requests: What to write; read once.
        path: ``.gz`` and ``.zst`` are compressed; ``-`` is standard output.
        format: One of ``WRITERS``.
        overwrite: Whether a file that exists is replaced.
        rejects: Takes each request that is left out, with its place in the source.
        output_tokens: Length of an answer whose length nothing tells; without it, a format that needs one leaves the
            request out.
        time_step_seconds: Times are rounded down to multiples of it, if it is not 0.

    Returns:
        What was written, and what was not.

    Raises:
        WarmrouteError: No such format, a number out of range, or no request that the format can hold.
        DocumentError: The file exists, or cannot be written.
    """
    _check(format, output_tokens, time_step_seconds)
    writer = WRITERS[format]()
    left_out, not_held, adapted = Counter[str](), Counter[str](), Counter[str]()
    with opened_output(path, overwrite=overwrite) as write, InTime() as lines:
        latest = 0.0
        for request in requests:
            changes: set[str] = set()
            try:
                line = writer.line(_with_length(request, output_tokens, writer, changes), changes)
                latest = _arrival(request, latest, needed=writer.has_times)
            except LeftOutError as error:
                left_out[str(error)] += 1
                if rejects is not None:
                    rejects.reject(request.source, request.line, f"not written: {error}")
                continue
            lines.add(latest, line)
            adapted.update(changes)
            not_held.update(part for part, has in PARTS.items() if part not in writer.holds and has(request))
        if not lines:
            raise _nothing(format, left_out)
        for line in _timed(lines, writer, time_step_seconds):
            write(line + b"\n")
    return Written(requests=len(lines), left_out=left_out, not_held=not_held, adapted=adapted)


def _check(format: str, output_tokens: int | None, time_step_seconds: float) -> None:  # noqa: A002
    if format not in WRITERS:
        raise WarmrouteError(f"There is no format {format!r} to write.", f"Use one of {', '.join(WRITERS)}.")
    if output_tokens is not None and not 1 <= output_tokens <= MAX_TOKENS:
        raise WarmrouteError(f"output_tokens is {output_tokens}.", f"Give a length from 1 to {MAX_TOKENS:,} tokens.")
    if time_step_seconds and not _LEAST_STEP_SECONDS <= time_step_seconds <= _LATEST_SECONDS:
        raise WarmrouteError(f"time_step_seconds is {time_step_seconds}.", "Give 0, or 0.001 and more.")


def _with_length(
    request: TrafficRequest, output_tokens: int | None, writer: LineWriter, changes: set[str]
) -> TrafficRequest:
    """The request with an answer's length, where the format needs one and nothing tells it."""
    if not writer.needs_answer_length or request.output_tokens is not None or request.output_characters is not None:
        return request
    if output_tokens is None:
        raise LeftOutError(_NO_ANSWER)
    changes.add(f"answer lengths set to {output_tokens:,} tokens")
    return replace(request, output_tokens=output_tokens)


def _arrival(request: TrafficRequest, latest: float, *, needed: bool) -> float:
    """When it arrived; for a format without times, an undated request follows the one before it."""
    seconds = request.arrival_seconds
    if seconds is not None and abs(seconds) <= _LATEST_SECONDS:
        return seconds
    if needed:
        raise LeftOutError(_NO_TIME if seconds is None else "an arrival time beyond any date")
    return latest


def _timed(lines: InTime, writer: LineWriter, step: float) -> Iterator[bytes]:
    start = None
    for time, line in lines:
        start = time if start is None else start
        seconds = time - start
        yield writer.with_time(line, seconds // step * step if step else seconds)


def _nothing(format: str, left_out: Counter[str]) -> WarmrouteError:  # noqa: A002
    if not left_out:
        return WarmrouteError("There is no request to write.", "Give a trace that has some.")
    reasons = "; ".join(f"{count:,} with {reason}" for reason, count in left_out.items())
    remedies = [remedy for reason, remedy in _REMEDIES.items() if reason in left_out]
    return WarmrouteError(
        f"No request can be written as {format}: {reasons}.", " ".join(remedies) or "Use another format."
    )


_NO_TIME = "no arrival time"
_NO_ANSWER = "no answer length"
_REMEDIES = {
    _NO_TIME: "Give them arrivals (--rate).",
    _NO_ANSWER: "Give the length of such answers (--output-tokens).",
}
