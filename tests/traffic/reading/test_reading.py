"""Reading as a whole: formats, rejects and notes, whatever is thrown at it."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import tracemalloc

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from traffic.recorded import TRACES, lines_of, needs_traces, read, read_values

from warmroute.errors import WarmrouteError
from warmroute.traffic import (
    Format,
    Rejects,
    TrafficError,
    TrafficRequest,
    arrivals,
    poisson_arrivals,
    read_traffic,
    with_timings,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
bodies = st.fixed_dictionaries(
    {"messages": st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": texts}), min_size=1, max_size=3)},
    optional={"model": texts, "temperature": st.floats(0, 1), "max_tokens": st.integers(1, 9)},
)


@given(st.lists(bodies, min_size=1, max_size=5), st.sampled_from(["chat", "wrapped", "batch", "payload", "capture"]))
def test_what_is_read_is_what_was_written_to_the_byte(tmp_path_factory, values, shape):
    sent = [orjson.dumps(value) for value in values]
    wrap = {
        "chat": lambda at, body: body,
        "wrapped": lambda at, body: b'{"timestamp":%d,"session_id":"s","body":%s}' % (at, body),
        "batch": lambda at, body: b'{"custom_id":"%d","url":"/v1/chat/completions","body":%s}' % (at, body),
        "payload": lambda at, body: b'{"timestamp":%d,"payload":%s}' % (at * 1_000, body),
        "capture": lambda at, body: orjson.dumps(
            {
                "captureData": {"endpointInput": {"data": body.decode(), "encoding": "JSON"}},
                "eventMetadata": {"eventId": str(at), "inferenceTime": f"1970-01-01T00:00:0{at}Z"},
            }
        ),
    }[shape]
    data = b"\n".join(wrap(at, body) for at, body in enumerate(sent))
    requests, rejects = read(tmp_path_factory.mktemp("written"), data)
    assert [each.body for each in requests] == sent
    assert [each.text for each in requests] == ["".join(m["content"] for m in value["messages"]) for value in values]
    assert [each.line for each in requests] == list(range(1, len(sent) + 1))
    if shape in ("wrapped", "payload", "capture"):
        assert [each.arrival_seconds for each in requests] == list(range(len(sent)))
    assert not rejects.rejected


NAMES = """
    messages prompt inputs input body text_input payload timestamp delay input_length output_length hash_ids
    chat_id parent_chat_id turn conversations from value traj history trajectory role content parts captureData
    endpointInput endpointOutput data encoding eventMetadata eventId inferenceTime custom_id response url type
    trace_id start_time usage_details output schemaType input_tok_ids input_toks arrival_time_ns output_toks
    call_type startTime spans model_parameters attributes resourceSpans scopeSpans gen_ai.input.messages
    gen_ai.output.messages tools is_demo session_id id tool_calls usage prompt_tokens choices message
    inputBodyJson inputTokenCount system metadata extra TIMESTAMP ContextTokens GeneratedTokens
    gen_ai.usage.input_tokens key stringValue arrayValue values text
"""
names = st.sampled_from(NAMES.split())
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["", "text", "BASE64", "GENERATION", "ModelInvocationLog", "human", "assistant", "2026-01-01T00:00:00Z"]
    )
    | st.sampled_from(
        ['[{"role": 1, "parts": [{"type": "text", "content": 2}]}]', "{", "[1", "9" * 400, "\ud800", "e" * 9]
    )
    | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5),
    max_leaves=12,
)
entries = st.dictionaries(names, anything, min_size=1, max_size=8)


@settings(max_examples=150)
@given(st.lists(entries, min_size=1, max_size=3), st.sampled_from(Format), st.sampled_from(["recorded", "canonical"]))
@example([{"messages": [{"content": [{"type": "text", "text": "x"}]}], "tools": [[[]]] * 2}], Format.CHAT, "canonical")
def test_any_fields_in_any_format_are_requests_or_rejects(tmp_path_factory, values, name, bodies):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(b"\n".join(json.dumps(value).encode() for value in values))
    rejects = Rejects()
    requests = []
    try:
        requests.extend(read_traffic(path, format=name, rejects=rejects, bodies=bodies))
    except WarmrouteError:
        assert not requests
    named = {request.line for request in requests}
    assert all(isinstance(each.line, int) and each.source == str(path) for each in requests)
    if name is not Format.OPENAI_BATCH:  # Its outputs are no requests of their own.
        assert len(named) + sum(rejects.rejected.values()) >= len(values)


@settings(max_examples=150)
@given(st.binary(max_size=300), st.sampled_from([None, *Format]), st.sampled_from([1, 20, 1 << 20]))
@example(b'{"prompt":' + b"[" * 5_000 + b"]" * 5_000 + b"}", Format.CHAT, 1 << 20)
@example(b'{"custom_id":"a","body":{"messages":' + b"[" * 1_000 + b"]" * 1_000 + b"}}", None, 1 << 20)
@example(b'a,b,c\n"x\n1,2,3', Format.AZURE, 1 << 20)
@example(b"\x1f\x8b" + b"\x08" * 20, None, 1 << 20)
@example(b"\x28\xb5\x2f\xfd" + b"\x08" * 20, None, 1 << 20)
def test_any_bytes_end_in_requests_or_in_one_message(tmp_path_factory, data, name, limit):
    path = tmp_path_factory.getbasetemp() / "bytes"
    path.write_bytes(data)
    try:
        list(read_traffic(path, format=name, line_limit_bytes=limit))
    except WarmrouteError as error:
        assert str(path) in str(error)  # noqa: PT017 - an error is one of two ways to end.


def test_a_broken_first_or_later_line_costs_no_other(tmp_path):
    good = lines_of({"prompt": "a"}, {"prompt": "b"})
    for broken in (b'{"prompt": "a', b"{", b'{"prompt": "a",', b"garbage", b"[1, 2", b"\xff\xfe", b'{"a": NaN}'):
        for data in (broken + b"\n" + good, good + broken + b"\n"):
            if data.startswith(b"["):
                continue  # That begins a document, which has no lines.
            requests, rejects = read(tmp_path, data)
            assert [each.text for each in requests] == ["a", "b"], data
            assert sum(rejects.rejected.values()) == 1


@pytest.mark.parametrize("head", [b"\xff,,,", b'a,b,c,"d', b"a,b,c" + b",d" * 100])
def test_a_file_that_only_looks_like_a_table_is_rejected_line_by_line(tmp_path, head):
    (tmp_path / "a").write_bytes(lines_of({"prompt": "fine"}))
    (tmp_path / "b").write_bytes(head + b"\n1,2,3\nx\n")
    rejects = Rejects()
    (_,) = read_traffic(tmp_path, rejects=rejects, line_limit_bytes=100)
    assert rejects.rejected.total() == 3


def test_a_line_of_100_mb_is_a_counted_reject_in_little_memory(tmp_path):
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"prompt": "a"}\n{"prompt": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n{"prompt": "b"}\n')
    rejects = Rejects()
    tracemalloc.start()
    try:
        found = [each.text for each in read_traffic(path, rejects=rejects, line_limit_bytes=1 << 20)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == ["a", "b"]
    assert rejects.summary() == [f"1 rejected: longer than the limit (first: {path}:2)."]
    assert peak < 16 << 20


def test_memory_does_not_grow_with_a_document(tmp_path):
    path = tmp_path / "runs.json"
    run = json.dumps({"traj": [{"role": "user", "content": "x" * 50_000}, {"role": "assistant", "content": "y"}]})
    path.write_text("[" + ",".join([run] * 1_000) + "]")
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_traffic(path)) == 1_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 << 20


@pytest.mark.parametrize("data", [b"", b"\n\n", b"[]", b'{"prompt": ""}', b'{"messages": []}', b"not JSON at all"])
def test_traffic_without_a_request_is_an_error(tmp_path, data):
    with pytest.raises(TrafficError, match="traffic: no"):
        read(tmp_path, data)


def test_an_unknown_format_names_what_was_looked_for(tmp_path):
    with pytest.raises(TrafficError, match=r"no known format.*captureData.*Mooncake.*--input-format"):
        read_values(tmp_path, {"question": "secret"})
    with pytest.raises(TrafficError) as raised:
        read(tmp_path, b"question,answer,rating\nsecret,secret,5\n")
    assert "secret" not in str(raised.value)


def test_mixed_formats_are_an_error_within_a_file_and_across_files(tmp_path):
    mooncake, chat = {"timestamp": 0, "input_length": 5}, {"messages": [{"role": "user", "content": "x"}]}
    with pytest.raises(TrafficError, match="a mix of formats: chat, mooncake"):
        read_values(tmp_path, mooncake, chat)
    (tmp_path / "a.jsonl").write_bytes(lines_of(mooncake))
    (tmp_path / "b.jsonl").write_bytes(lines_of(chat))
    with pytest.raises(TrafficError, match=r"b\.jsonl: the format is chat, but that of .*a\.jsonl is mooncake"):
        list(read_traffic([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]))
    rejects = Rejects()
    assert len(list(read_traffic(tmp_path / "a.jsonl", format="mooncake", rejects=rejects))) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "csv"}, "There is no format 'csv'. Use one of: data-capture"),
        ({"bodies": "none"}, "There are no such bodies"),
        ({"block_tokens": 0}, "block_tokens is 0"),
        ({"line_limit_bytes": 0}, "line_limit_bytes is 0"),
        ({"sampling_percentage": 0}, "sampling_percentage is 0"),
    ],
)
def test_wrong_options_are_told_before_anything_is_read(tmp_path, options, message):
    with pytest.raises(TrafficError, match=message):
        read_traffic(tmp_path / "none", **options)


def test_importing_the_room_needs_no_extra():
    extras = {"smart_open", "zstandard", "boto3", "pyarrow", "numpy"}
    code = f"import sys, warmroute.traffic; print(*{extras} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""


def recorded(sessions):
    return [
        TrafficRequest(source="s", line=1, session=f"c{session}", turn=turn)
        for session, turns in enumerate(sessions)
        for turn in range(turns)
    ]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 4), st.integers(0, 3))
def test_drawn_arrivals_keep_every_session_in_the_order_of_its_turns(sessions, concurrent, seed):
    requests = recorded(sessions)
    times = poisson_arrivals(2.0, math.inf, seed=seed)
    given_times = list(arrivals(requests, times, concurrent_sessions=concurrent, seed=seed))
    at = [request.arrival_seconds for request in given_times]
    assert at == sorted(at)
    for name in {request.session for request in requests}:
        turns = [request.turn for request in given_times if request.session == name]
        assert turns == [request.turn for request in requests if request.session == name]
    together = [len({r.session for r in given_times[:end]}) for end in range(len(given_times) + 1)]
    done = 0
    for opened, request in zip(together[1:], given_times, strict=True):
        assert opened - done <= concurrent
        done += request.turn == sessions[int(request.session[1:])] - 1


def test_timings_are_joined_to_texts_in_order(tmp_path):
    azure = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,374,44\n2023-11-16 18:15:50.9,396,109\n"
    timings, _ = read(tmp_path, azure)
    prompts, _ = read_values(tmp_path, {"prompt": "a"}, {"prompt": "b"}, {"prompt": "c"})
    first, second = with_timings(prompts, timings)
    assert (first.text, first.output_tokens, first.arrival_seconds) == ("a", 44, timings[0].arrival_seconds)
    assert (second.text, second.input_tokens) == ("b", None)
    with pytest.raises(TrafficError, match="no arrival"):
        list(with_timings(timings, prompts))
    with pytest.raises(TrafficError, match="concurrent_sessions is 0"):
        next(arrivals(prompts, itertools.count(), concurrent_sessions=0))


@needs_traces
@pytest.mark.parametrize(
    ("pattern", "name", "count"),
    [
        ("mooncake/conversation_trace.jsonl", "mooncake", 12_031),
        ("mooncake/synthetic_trace.jsonl", "mooncake", 3_993),
        ("tau-bench/gpt-4o-airline.json", "tau-bench", 2_454),
        ("lmcache-agent/miniswe/*.jsonl", "lmcache-agent", 238),
        ("lmcache-agent/taubench/*.jsonl", "lmcache-agent", 471),
        ("swe-agent/*.traj", "swe-agent", 81),
        ("azure-2023/*.csv", "azure", 19_366),
        ("otel-agents/code_review_workflow.json", "otel", 15),
        ("sharegpt-token-ids/*.gz", "token-ids", 300),
    ],
)
def test_public_traces_are_recognised_and_read_whole(pattern, name, count):
    rejects = Rejects()
    found = list(read_traffic(TRACES / pattern, rejects=rejects))
    assert len(found) == count
    assert not rejects.rejected
    assert {each.turn is not None for each in found} == {name in ("tau-bench", "swe-agent")}
    assert all(each.text or each.input_tokens for each in found)
    with pytest.raises(TrafficError):
        next(read_traffic(TRACES / pattern, format="bedrock"))


@needs_traces
def test_the_conversation_trace_has_its_known_beginnings():
    found = list(read_traffic(TRACES / "mooncake/conversation_trace.jsonl"))
    assert len({each.block_hashes[:1] for each in found}) == 1
    assert len({each.block_hashes[:2] for each in found}) == 7_373
    assert found[-1].arrival_seconds == pytest.approx(3_540, abs=30)


@needs_traces
def test_the_airline_calls_have_their_known_number_of_keys_by_prefix_length():
    found = list(read_traffic(TRACES / "tau-bench/gpt-4o-airline.json", bodies="canonical"))
    messages = [orjson.loads(each.body)["messages"] for each in found]
    assert len(messages[0][0]["content"]) == 6_155
    # The published count puts a line break between messages; the routing key is assumed to put nothing.
    apart = ["\n".join(message.get("content", "") for message in each) for each in messages]
    lengths = (1_024, 2_048, 4_096, 8_192, 16_384, 32_768)
    assert [len({text[:length] for text in apart}) for length in lengths] == [1, 1, 1, 1_050, 2_257, 2_446]
    assert [len({each.text[:length] for each in found}) for length in lengths] == [1, 1, 1, 1_044, 2_198, 2_360]
