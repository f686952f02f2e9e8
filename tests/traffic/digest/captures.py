"""Strategies of captured lines: whole ones with every kind of body, and broken ones."""

from __future__ import annotations

import base64
import json

import orjson
from hypothesis import strategies as st

CHARACTERS = st.characters(codec="utf-8") | st.sampled_from('\0\n\r\t"\\\u0301\U0001f600\U0010ffff\u2028aé')
TEXTS = st.text(CHARACTERS, max_size=12)
VALUES = st.none() | st.booleans() | st.integers(-9, 2**40) | TEXTS | st.sampled_from([[], {}, ["a"], {"a": None}])

parts = st.fixed_dictionaries(
    {}, optional={"type": st.just("text") | VALUES, "text": TEXTS | VALUES, "image_url": VALUES}
)
contents = (
    TEXTS
    | VALUES
    | st.lists(parts | VALUES, max_size=3)
    | TEXTS.map(lambda text: json.dumps([{"type": "text", "text": text}]))
)
messages = st.lists(st.fixed_dictionaries({}, optional={"role": TEXTS, "content": contents}) | VALUES, max_size=4)
prompts = TEXTS | st.lists(TEXTS, max_size=3) | st.lists(VALUES, max_size=2) | VALUES
bodies = st.fixed_dictionaries(
    {},
    optional={
        "messages": messages | VALUES,
        "prompt": prompts,
        "inputs": prompts,
        "model": st.none() | TEXTS,
        "prompt_cache_key": st.none() | TEXTS,
        "cache_salt": st.none() | TEXTS,
        "tools": st.none() | st.lists(st.fixed_dictionaries({"b": TEXTS, "a": st.integers(0, 9)}), max_size=2),
        "stream": st.booleans(),
    },
)
written = st.builds(
    lambda value, is_ascii, indent: json.dumps(value, ensure_ascii=is_ascii, indent=indent).encode(),
    bodies | VALUES,
    st.booleans(),
    st.none() | st.just(1),
)
surrogates = st.sampled_from(
    [rb'{"messages": [{"content": "a\ud800"}]}', rb'{"prompt": "\udfff\\ud800"}', rb'{"prompt": "\\ud800"}']
)
datas = written | written.map(lambda data: data[:-1]) | surrogates
answers = st.sampled_from(
    [
        b'{"usage": {"prompt_tokens": 7, "completion_tokens": 0}}',
        b'{"usage": {"input_tokens": 3}}',
        b'{"usage": null}',
        b"data: {}\n\ndata: [DONE]\n\n",
        b"\xff",
        b"",
    ]
)
times = st.sampled_from(
    [
        *("2026-04-29T00:03:18Z", "2026-04-29T00:03:18.250Z", "2024-02-29 23:59:59", "2000-03-01T00:00:00+05:30"),
        *("1970-01-01T00:00:00-00:01", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "yesterday", ""),
    ]
)


def encoded(data: bytes, wants_base64: bool) -> dict[str, str]:
    """A part of a captured call, in base64 if it is no UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        wants_base64 = True
    return (
        {"encoding": "BASE64", "data": base64.b64encode(data).decode()}
        if wants_base64
        else {"encoding": "JSON", "data": text}
    )


parts_in = st.builds(encoded, datas | st.binary(max_size=12), st.booleans()) | st.sampled_from(
    [{}, {"data": None}, {"data": {"a": 1}}, {"data": ["a"]}, {"data": 5}, {"data": "a=", "encoding": "BASE64"}]
)
events = st.fixed_dictionaries(
    {},
    optional={
        "eventId": TEXTS,
        "inferenceTime": st.none() | times,
        "inferenceId": TEXTS,
        "customAttributes": st.lists(TEXTS, max_size=2),
    },
)
calls = st.builds(
    lambda part, answer, event: orjson.dumps(
        {"captureData": {"endpointInput": part, "endpointOutput": answer}, "eventMetadata": event, "eventVersion": "0"}
    ),
    parts_in,
    st.builds(encoded, answers, st.booleans()) | st.just({}),
    events,
)
others = st.sampled_from(
    [b"", b"  ", b"{", b"[1]", b'"s"', b"null", b"\xff", b'{"a": "\xe9"}', b'{"a": "\\ud800"}', b"{}"]
)
lines = calls | others
