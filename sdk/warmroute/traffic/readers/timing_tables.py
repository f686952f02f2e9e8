"""Tables of arrivals and token counts without texts: Azure's LLM inference traces, and BurstGPT.

Azure: ``TIMESTAMP,ContextTokens,GeneratedTokens``, a date and time. BurstGPT: ``Timestamp,Model,Request tokens,Response
tokens,Total tokens,Log Type``, whole seconds; some releases have a ``Session ID``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import count, date, seconds, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _is_azure(value: Mapping[str, Any]) -> bool:
    return {"TIMESTAMP", "ContextTokens", "GeneratedTokens"} <= value.keys()


def _read_azure(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    if not _is_azure(entry.value):
        raise BadEntryError("no columns TIMESTAMP, ContextTokens and GeneratedTokens")
    arrival = date(entry.value, "TIMESTAMP")
    yield reading.request(
        entry,
        None,
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        input_tokens=count(entry.value, "ContextTokens"),
        output_tokens=count(entry.value, "GeneratedTokens"),
    )


def _is_burstgpt(value: Mapping[str, Any]) -> bool:
    return {"Timestamp", "Request tokens", "Response tokens"} <= value.keys()


def _read_burstgpt(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    if not _is_burstgpt(entry.value):
        raise BadEntryError("no columns Timestamp, Request tokens and Response tokens")
    arrival = seconds(entry.value, "Timestamp", resolution=1.0)
    yield reading.request(
        entry,
        {"model": text(entry.value, "Model")},
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        session=text(entry.value, "Session ID"),
        input_tokens=count(entry.value, "Request tokens"),
        output_tokens=count(entry.value, "Response tokens"),
    )


AZURE = Reader(_is_azure, _read_azure, "columns TIMESTAMP, ContextTokens, GeneratedTokens (Azure)")
BURSTGPT = Reader(_is_burstgpt, _read_burstgpt, "columns Timestamp, Request tokens, Response tokens (BurstGPT)")
