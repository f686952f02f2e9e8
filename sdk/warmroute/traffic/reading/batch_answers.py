"""Joins the output of an OpenAI batch to its input, whichever file is named first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.traffic.bodies.answers import UNKNOWN
from warmroute.traffic.entries.entry import entries
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.readers.openai_batch import is_output
from warmroute.traffic.record import TrafficRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.traffic.readers.reader import Reading
    from warmroute.traffic.sources.named import Source


def outputs_first(sources: list[Source]) -> list[Source]:
    """Files with the outputs of a batch before all others; the order is left alone if the first is of no batch."""
    named = [source for source in sources if source.opens_again]
    if len(sources) < 2 or not named or not _begins_with(named[0], "custom_id"):
        return sources
    outputs = [source for source in named if _begins_with(source, "response")]
    return outputs + [source for source in sources if source not in outputs]


def left_over(reading: Reading) -> Iterator[TrafficRequest]:
    """The requests of outputs whose input was not read: nothing but their token counts is known."""
    for name, (source, line, answer) in reading.answers.items():
        if answer == UNKNOWN or not answer.input_tokens:
            reading.rejects.reject(source, line, "an output without token counts, and no input for it")
        else:
            yield TrafficRequest(
                source=source,
                line=line,
                request_id=name,
                input_tokens=answer.input_tokens,
                output_tokens=answer.output_tokens,
                output_characters=answer.output_characters,
            )


def _begins_with(source: Source, field: str) -> bool:
    first = next(entries(source, Rejects()), None)
    if first is None:
        return False
    return "custom_id" in first.value and (field != "response" or is_output(first.value))
