"""Answers of a container, cut anywhere, become the same deltas and the same reply."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.client.chat import ChatReply, ModelStreamError, ToolCall, UnexpectedReplyError, Usage
from warmroute.client.chat.reading import StreamReader, read_reply, text_of
from warmroute.client.chat.server_sent_events import ServerSentEvents

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=8)


def chunk(delta: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": more.pop("finish_reason", None)}]
    return {"id": "c", "object": "chat.completion.chunk", "choices": choices, **more}


def stream_of(*chunks: Any, line_end: str = "\n", done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(each, ensure_ascii=False)}{line_end}{line_end}" for each in chunks]
    return "".join([*lines, f"data: [DONE]{line_end}{line_end}" * done]).encode()


def pieces(data: st.DataObject, stream: bytes) -> list[bytes]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=30)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def read(parts: list[bytes]) -> tuple[list[str], ChatReply, Exception | None]:
    reader, texts = StreamReader("main"), []
    try:
        for part in parts:
            for each in reader.feed(part):
                texts.append(text_of(each))  # noqa: PERF401 - an error must not take away what came before.
        reader.end()
    except (ModelStreamError, UnexpectedReplyError) as error:
        return texts, reader.reply, error
    return texts, reader.reply, None


@given(TEXTS, st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_deltas_do_not_depend_on_where_the_stream_is_cut(texts: list[str], line_end: str, data: st.DataObject) -> None:
    stream = stream_of(
        *[chunk({"content": text}) for text in texts], chunk({}, finish_reason="stop"), line_end=line_end
    )
    deltas, reply, error = read(pieces(data, stream))
    assert error is None
    assert deltas == [*texts, ""]
    assert (reply.text, reply.finish_reason, reply.variant) == ("".join(texts), "stop", "main")


@given(TEXTS, st.data())
def test_what_came_before_a_failure_does_not_depend_on_the_cuts_either(texts: list[str], data: st.DataObject) -> None:
    broken = {"error": {"type": "BadRequestError", "message": "secret prompt"}}
    stream = stream_of(*[chunk({"content": text}) for text in texts], broken)
    deltas, reply, error = read(pieces(data, stream))
    assert deltas == texts
    assert isinstance(error, ModelStreamError)
    assert error.received == reply
    assert reply.text == "".join(texts)
    assert error.code == "BadRequestError"
    assert "secret" not in str(error)


@given(st.binary(max_size=200), st.data())
def test_any_bytes_give_the_same_events_however_they_are_cut(stream: bytes, data: st.DataObject) -> None:
    stream = stream.replace(b"\x00", b"\n").replace(b"\x01", b"\r").replace(b"\x02", b"data:")
    whole, cut = ServerSentEvents(), ServerSentEvents()
    expected = whole.feed(stream)
    assert [event for part in pieces(data, stream) for event in cut.feed(part)] == expected


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\ndata: b\n\n", [b"a\nb"]),
        (b": comment\nevent: x\nid: 1\ndata: a\n\n", [b"a"]),
        (b"\n\ndata: a\n\n\n", [b"a"]),
        (b"data:  a \n\n", [b" a "]),
        (b"data: unfinished\n", []),
    ],
)
def test_events_are_read_as_the_standard_says(stream: bytes, events: list[bytes]) -> None:
    assert ServerSentEvents().feed(stream) == events


def test_usage_and_cached_tokens_are_those_of_the_last_chunk() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}
    _, reply, _ = read([stream_of(chunk({"content": "Hi"}, finish_reason="length"), chunk(usage=usage))])
    assert reply == ChatReply("Hi", (), "length", Usage(9, 2, 8), "main")


def test_tool_calls_are_put_together_from_their_pieces() -> None:
    first = {"index": 0, "id": "a", "function": {"name": "look", "arguments": ""}}
    second = {"index": 1, "id": "b", "function": {"name": "read", "arguments": "{}"}}
    more = {"index": 0, "function": {"arguments": '{"at": '}}, {"index": 0, "function": {"arguments": "1}"}}
    chunks = [chunk({"tool_calls": [call]}) for call in (first, second, *more)]
    _, reply, _ = read([stream_of(*chunks, chunk({}, finish_reason="tool_calls"))])
    assert reply.tool_calls == (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "read", "{}"))


def test_other_choices_are_left_to_the_chunks() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "B"}}, {"index": 0, "delta": {"content": "A"}}]}
    deltas, reply, _ = read([stream_of(other, {"choices": [{"index": 1, "delta": {"content": "B"}}]})])
    assert (deltas, reply.text) == (["A", ""], "A")


@pytest.mark.parametrize("done", [True, False])
def test_a_stream_is_complete_with_a_finish_reason_or_a_done(*, done: bool) -> None:
    _, reply, error = read([stream_of(chunk({"content": "Hi"}, finish_reason=None if done else "stop"), done=done)])
    assert (error, reply.text) == (None, "Hi")


def test_a_stream_that_just_ends_is_an_error_with_what_arrived() -> None:
    _, _, error = read([stream_of(chunk({"content": "Hel"}), done=False)])
    assert isinstance(error, ModelStreamError)
    assert error.received is not None
    assert error.received.text == "Hel"
    assert str(error).startswith("The reply broke off after 3 characters.")


@pytest.mark.parametrize("event", [b"data: {truncated\n\n", b"data: [1]\n\n"])
def test_an_event_that_is_no_chunk_is_named_without_its_text(event: bytes) -> None:
    _, _, error = read([stream_of(chunk({"content": "Hel"}), done=False), event])
    assert isinstance(error, UnexpectedReplyError)
    assert error.answer == event[6:-2]
    assert "truncated" not in str(error)


def test_an_error_type_that_is_not_a_word_stays_out_of_the_message() -> None:
    _, _, error = read([stream_of({"error": {"type": "my prompt, quoted"}})])
    assert "quoted" not in str(error)


def test_a_whole_answer_is_read_with_all_that_it_says() -> None:
    answer = {
        "choices": [
            {
                "message": {
                    "content": None,
                    "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": '{"b": 1}'}}],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": None},
    }
    reply = read_reply(json.dumps(answer).encode(), "main")
    expected = ChatReply("", (ToolCall("a", "look", '{"b": 1}'),), "tool_calls", Usage(5, 1, None), "main", answer)
    assert reply == expected


@pytest.mark.parametrize("body", [b"", b"[]", b'[{"generated_text": "x"}]', b'{"choices": []}', b'{"choices": [{}]}'])
def test_a_whole_answer_of_another_form_is_an_error(body: bytes) -> None:
    with pytest.raises(UnexpectedReplyError) as caught:
        read_reply(body, "main")
    assert caught.value.answer == body
    assert "generated_text" not in str(caught.value)


@pytest.mark.parametrize("index", [None, 0, "x", [0]])
def test_calls_of_a_whole_message_are_kept_apart_whatever_their_index(index: Any) -> None:
    calls = [
        {"id": name, "index": index, "function": {"name": name, "arguments": arguments}}
        for name, arguments in (("f", "{}"), ("g", {"a": 1}))
    ]
    body = json.dumps({"choices": [{"message": {"tool_calls": calls}}]}).encode()

    found = read_reply(body, "main").tool_calls
    assert [(call.id, call.name, call.arguments) for call in found] == [("f", "f", "{}"), ("g", "g", '{"a":1}')]


def test_an_id_and_a_name_that_are_repeated_in_every_piece_are_taken_once() -> None:
    reader = StreamReader("main")
    for piece in ("{", "}"):
        call = {"index": 0, "id": "c1", "function": {"name": "get", "arguments": piece}}
        chunk = {"choices": [{"delta": {"tool_calls": [call]}}]}
        list(reader.feed(b"data: " + json.dumps(chunk).encode() + b"\n\n"))

    assert [(call.id, call.name, call.arguments) for call in reader.reply.tool_calls] == [("c1", "get", "{}")]


def test_an_error_object_in_a_stream_is_no_reply() -> None:
    event = b'data: {"object":"error","message":"secret","type":"BadRequestError","code":400}\n\n'
    with pytest.raises(ModelStreamError, match="BadRequestError") as failed:
        list(StreamReader("main").feed(event))
    assert "secret" not in str(failed.value)


def test_a_byte_order_mark_does_not_hide_the_first_event() -> None:
    assert ServerSentEvents().feed(b"\xef\xbb\xbfdata: 1\n\n") == [b"1"]


def test_a_long_line_in_small_pieces_is_not_copied_at_each_of_them() -> None:
    events, pieces = ServerSentEvents(), 4_000
    tracemalloc.start()
    try:
        for number in range(pieces):
            tracemalloc.reset_peak()
            events.feed(b"x" * 256 if number else b"data: " + b"x" * 250)
            current, peak = tracemalloc.get_traced_memory()
            assert peak - current < 100_000  # A copy of the line so far would be up to a megabyte.
    finally:
        tracemalloc.stop()
    (event,) = events.feed(b"\n\n")
    assert len(event) == pieces * 256 - 6
