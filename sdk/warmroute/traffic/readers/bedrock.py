"""Amazon Bedrock's model invocation logs.

Format: ``{"schemaType": "ModelInvocationLog", "timestamp", "requestId", "operation", "modelId", "input":
{"inputBodyJson", "inputTokenCount", "cacheReadInputTokenCount", "cacheWriteInputTokenCount"}, "output":
{"outputBodyJson", "outputTokenCount"}}``. A body too large for the log is in S3 under ``inputBodyS3Path``; it is not
fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.answers import answer_of
from warmroute.traffic.entries.fields import count, date, mapping, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return value.get("schemaType") == "ModelInvocationLog"


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    if not _recognises(value):
        raise BadEntryError("schemaType is not ModelInvocationLog")
    sent, received = mapping(value, "input"), mapping(value, "output")
    if text(sent, "inputBodyS3Path"):
        reading.rejects.note(entry.source, entry.line, "the body is in S3, and is not read")
    counts = [count(sent, f"{kind}nputTokenCount") for kind in ("i", "cacheReadI", "cacheWriteI")]
    answer = answer_of(received.get("outputBodyJson"))
    arrival = date(value, "timestamp")
    yield reading.request(
        entry,
        {**_request(mapping(sent, "inputBodyJson")), "model": text(value, "modelId")},
        request_id=text(value, "requestId"),
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        input_tokens=sum(each or 0 for each in counts) if any(each is not None for each in counts) else None,
        output_tokens=count(received, "outputTokenCount"),
        output_characters=answer.output_characters,
    )


def _request(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body of InvokeModel or Converse as one of the chat API, as far as it holds text."""
    request = dict(body)
    if isinstance(body.get("messages"), list):
        before = [{"role": "system", "content": _content(body["system"])}] if body.get("system") else []
        request["messages"] = before + [
            {**message, "content": _content(message.get("content"))} if isinstance(message, dict) else message
            for message in body["messages"]
        ]
        request.pop("system", None)
    elif isinstance(body.get("inputText"), str):
        request["prompt"] = request.pop("inputText")
    if body.get("toolConfig"):
        request["tools"] = body["toolConfig"]
    return request


def _content(content: object) -> object:
    """Converse's parts have no ``type``."""
    if not isinstance(content, list):
        return content
    return [{"type": "text", **part} if isinstance(part, dict) and "text" in part else part for part in content]


READER = Reader(_recognises, _read, "schemaType ModelInvocationLog (Bedrock)", ids_are_unique="everywhere")
