"""Each format, by small inputs of it: what is read, and what stays unknown."""

from __future__ import annotations

import base64
import json

import orjson
import pytest
from traffic.recorded import lines_of, read, read_one, read_values

from warmroute.prefix import canonical_json
from warmroute.traffic import Format
from warmroute.traffic.reading.formats import READERS, format_of

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {}}}]
BODY = {"model": "m", "messages": MESSAGES, "tools": TOOLS, "prompt_cache_key": "k", "max_tokens": 5}
ROOT = canonical_json({"tools": TOOLS}).decode()


def captured(body, output=None, *, encoding="JSON", time="2026-04-29T00:03:18Z", event="e1"):
    data = base64.b64encode(body).decode() if encoding == "BASE64" else body.decode()
    value = {
        "captureData": {"endpointInput": {"data": data, "encoding": encoding, "mode": "INPUT"}},
        "eventMetadata": {"eventId": event, "inferenceTime": time},
        "eventVersion": "0",
    }
    if output is not None:
        value["captureData"]["endpointOutput"] = {"data": output, "encoding": "JSON"}
    return value


@pytest.mark.parametrize("encoding", ["JSON", "BASE64"])
def test_data_capture_keeps_the_body_to_the_byte_and_tells_its_clock(tmp_path, encoding):
    body = b'{ "messages" : [{"role":"user","content":"Gr\\u00fc\xc3\x9f"}], "model":"m", "model":"n" }'
    answer = json.dumps(
        {"choices": [{"message": {"content": "ok"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    )
    found = read_one(tmp_path, captured(body, answer, encoding=encoding))
    assert (found.body, found.text, found.adapter, found.request_id) == (body, "Grüß", "n", "e1")
    assert (found.arrival_seconds, found.arrival_resolution_seconds) == (1777420998.0, 1.0)
    assert (found.input_tokens, found.output_tokens, found.output_characters, found.api) == (9, 2, 2, None)


def test_data_capture_reads_streams_and_puts_up_with_any_other_answer(tmp_path):
    stream = (
        'data: {"choices":[{"delta":{"content":"He"}}]}\n\ndata: {"choices":[{"delta":{"content":"llo"}}]}\n\n'
        'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\ndata: [DONE]\n\n'
    )
    body = orjson.dumps(BODY)
    requests, rejects = read_values(
        tmp_path, captured(body, stream), captured(body, "<html>", event="e2"), captured(body, event="e3")
    )
    assert [(each.input_tokens, each.output_tokens, each.output_characters) for each in requests] == [
        (7, 3, 5),
        (None, None, None),
        (None, None, None),
    ]
    assert dict(rejects.noted) == {"the answer could not be read": 1}
    assert not rejects.rejected


def test_data_capture_is_put_in_the_order_of_its_times_and_repeated_events_are_left_out(tmp_path):
    body = orjson.dumps(BODY)
    times = ("2026-04-29T00:00:03Z", "2026-04-29T00:00:01Z", "2026-04-29T00:00:01Z", "2026-04-29T00:00:02Z")
    values = [captured(body, time=time, event=str(number)) for number, time in enumerate(times)]
    requests, rejects = read_values(tmp_path, *values, values[0])
    assert [each.request_id for each in requests] == ["1", "2", "3", "0"]
    assert dict(rejects.rejected) == {"an id met before": 1}
    assert not rejects.noted["arrives before one above it"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (captured(b"", event="x"), "no prompt, nor how many tokens it had"),
        ({"captureData": {}}, "no input was captured"),
        ({"captureData": {"endpointInput": {"data": "!", "encoding": "BASE64"}}}, "captured data are not in base64"),
        ({"captureData": {"endpointInput": {"data": {}}}}, "captured data are not a text"),
        (captured(b"{}", time="yesterday"), "inferenceTime is not a date and time"),
        (captured(b'{"messages": []}'), "the prompt has no text"),
    ],
)
def test_a_captured_line_without_a_request_is_rejected_with_its_reason(tmp_path, value, reason):
    requests, rejects = read_values(tmp_path, value, captured(orjson.dumps(BODY), event="good"))
    assert [each.request_id for each in requests] == ["good"]
    assert dict(rejects.rejected) == {reason: 1}


def conversation(number, turns):
    said = [{"role": "user", "content": f"question 0 of {number}"}]
    for turn in range(turns):
        yield {"messages": list(said)}
        said += [
            {"role": "assistant", "content": f"answer {turn}"},
            {"role": "user", "content": f"question {turn + 1}"},
        ]


@pytest.mark.parametrize(("every", "note"), [(1, False), (2, True)])
def test_a_sampled_capture_is_noticed_by_its_follow_ups(tmp_path, every, note):
    calls = [call for number in range(40) for call in conversation(number, 5)]
    kept = [captured(orjson.dumps(call), event=str(at)) for at, call in enumerate(calls) if at % every == 0]
    _, rejects = read_values(tmp_path, *kept)
    assert any("looks sampled" in reason for reason in rejects.noted) is note
    _, rejects = read_values(tmp_path, *reversed(kept))  # Files of several instances come in any order.
    assert any("looks sampled" in reason for reason in rejects.noted) is note


def test_a_given_sampling_percentage_is_noted(tmp_path):
    _, rejects = read_values(tmp_path, captured(b'{"prompt": "x"}'), sampling_percentage=20)
    assert any(reason.startswith("captured at 20 %") for reason in rejects.noted)


def test_openai_batch_joins_outputs_to_inputs_whatever_the_order(tmp_path):
    request = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": BODY}
    answer = {
        "response": {"status_code": 200, "body": {"usage": {"prompt_tokens": 8, "completion_tokens": 4}}},
        "error": None,
    }
    data = lines_of(request)
    for names in (("1", "2"), ("2", "1")):
        folder = tmp_path / "".join(names)
        folder.mkdir()
        (folder / names[0]).write_bytes(data)
        (folder / names[1]).write_bytes(lines_of({"custom_id": "a", **answer}, {"custom_id": "b", **answer}))
        from warmroute.traffic import Rejects, read_traffic

        joined, alone = read_traffic(folder, rejects=(rejects := Rejects()))
        assert (joined.request_id, joined.input_tokens, joined.output_tokens, joined.api) == ("a", 8, 4, "openai")
        assert joined.body == json.dumps(BODY).encode()
        assert (alone.request_id, alone.input_tokens, alone.body, alone.text, alone.line) == ("b", 8, None, None, 2)
        assert not rejects.rejected


def test_chat_lines_are_bodies_and_times_beside_them_are_read(tmp_path):
    line = json.dumps(BODY)
    beside = f'{{"timestamp": "2026-01-01T00:00:00.25Z", "session_id": "s", "body": {line}}}'
    within = json.dumps({**BODY, "timestamp": 1_700_000_000.5})
    requests, rejects = read(tmp_path, f"{line}\n{beside}\n{within}\n".encode())
    assert [each.body for each in requests] == [line.encode(), line.encode(), None]
    assert [each.arrival_seconds for each in requests] == [None, 1767225600.25, 1_700_000_000.5]
    assert requests[1].session == "s"
    assert requests[1].arrival_resolution_seconds == pytest.approx(0.01)
    for each in requests:
        assert (each.text, each.prompt_root, each.prefix_aware_id, each.adapter) == ("Be brief.Hi", ROOT, "k", "m")
    assert not rejects.rejected


def test_canonical_bodies_are_those_that_canonical_json_would_send(tmp_path):
    for value in (BODY, {"traj": [*MESSAGES, {"role": "assistant", "content": "x"}]}):
        found = read_one(tmp_path, value, bodies="canonical")
        assert found.body == canonical_json(BODY if value is BODY else {"messages": MESSAGES})


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"inputs": "native", "parameters": {}}, "native"),
        ({"prompt": ["a", "b"]}, "ab"),
        ({"prompt": "p", "max_tokens": 3}, "p"),
        ({"prompt": [1, 2, 3]}, None),
        ({"input": "i", "instructions": "before "}, "before i"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "r"}]}, {"type": "function_call"}]},
            "r",
        ),
        (
            {
                "messages": [
                    {"content": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]}
                ]
            },
            "ab",
        ),
    ],
)
def test_the_text_of_every_kind_of_body(tmp_path, body, text):
    assert read_one(tmp_path, body, format="chat").text == text


def test_mooncake_and_what_aiperf_adds(tmp_path):
    payload = b'{"messages" : [{"role":"user","content":"x"}]}'
    data = (
        lines_of(
            {"timestamp": 27_482, "input_length": 600, "output_length": 52, "hash_ids": [46, 47]},
            {"timestamp": 1, "text_input": "hello", "session_id": "s"},
            {"delay": 1_500, "messages": MESSAGES, "tools": TOOLS, "extra": {"temperature": 0}, "session_id": "s"},
        )
        + b'{"timestamp": 5, "payload": %s, "output_length": 7}' % payload
    )
    (blocks, text, chat, raw), rejects = read(tmp_path, data)
    assert (blocks.arrival_seconds, blocks.arrival_resolution_seconds) == (27.482, 0.001)
    assert (blocks.input_tokens, blocks.output_tokens, blocks.block_hashes, blocks.block_tokens) == (
        600,
        52,
        (46, 47),
        512,
    )
    assert (text.text, text.body, text.session) == ("hello", None, "s")
    assert (chat.arrival_seconds, chat.delay_seconds, chat.prompt_root, chat.body) == (None, 1.5, ROOT, None)
    assert (raw.body, raw.text, raw.output_tokens) == (payload, "x", 7)
    assert dict(rejects.noted) == {"arrives before one above it": 2}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"text_input": "x", "input_length": 3}, "not exactly one of input_length, text_input, messages and payload"),
        ({"input_length": 600, "hash_ids": [1]}, None),
        ({"input_length": 600, "hash_ids": [1, 2, 3]}, "hash_ids are not one for each 512 tokens of input_length"),
        ({"input_length": 600, "hash_ids": ["a", "b"]}, "hash_ids are not whole numbers"),
        ({"input_length": 0}, "no prompt, nor how many tokens it had"),
        ({"input_length": -1}, "input_length is not a whole number of 0 to 2,147,483,647"),
        ({"input_length": 1, "timestamp": -1}, "timestamp is below 0, or after the year 9999"),
        ({"input_length": 1, "timestamp": 1e300}, "timestamp is below 0, or after the year 9999"),
        ({"input_length": 1, "timestamp": "1e999"}, "timestamp is not a number"),
    ],
)
def test_a_mooncake_line_must_be_consistent(tmp_path, value, reason):
    requests, rejects = read_values(tmp_path, value, {"timestamp": 0, "input_length": 1}, format="mooncake")
    assert dict(rejects.rejected) == ({reason: 1} if reason else {})
    assert len(requests) == (1 if reason else 2)


def test_traces_of_16_token_blocks_are_told_from_mooncake_s_by_their_number(tmp_path):
    small = {"timestamp": 0.5, "input_length": 3, "output_length": 1, "hash_ids": [9]}
    large = {"timestamp": 1.5, "input_length": 40, "output_length": 1, "hash_ids": [9, 8, 7]}
    requests, _ = read_values(tmp_path, small, large)
    assert [(each.arrival_seconds, each.block_tokens) for each in requests] == [(0.5, 16), (1.5, 16)]


def test_bailian_links_the_requests_of_a_chat(tmp_path):
    first = {
        "chat_id": 7,
        "parent_chat_id": -1,
        "timestamp": 0.5,
        "input_length": 17,
        "output_length": 1,
        "type": "text",
        "turn": 1,
        "hash_ids": [1, 2],
    }
    second = {**first, "chat_id": 8, "parent_chat_id": 7, "turn": 2, "timestamp": 1.5}
    third = {**first, "chat_id": 9, "parent_chat_id": 8, "turn": 3, "timestamp": 2.5}
    requests, _ = read_values(tmp_path, first, second, third)
    assert [(each.session, each.turn) for each in requests] == [("7", 0), ("7", 1), ("7", 2)]
    assert [each.arrival_seconds for each in requests] == [0.5, 1.5, 2.5]
    assert requests[0].block_tokens == 16


def test_sharegpt_is_one_call_an_answer(tmp_path):
    turns = [("system", "S"), ("human", "Q"), ("gpt", "An"), ("human", "R"), ("gpt", "B")]
    value = {"id": "c", "conversations": [{"from": who, "value": said} for who, said in turns]}
    requests, _ = read(tmp_path, json.dumps([value], indent=1).encode())
    assert [(each.text, each.turn, each.output_characters, each.session) for each in requests] == [
        ("SQ", 0, 2, "c"),
        ("SQAnR", 1, 1, "c"),
    ]


def test_tau_bench_is_one_call_for_each_answer_with_what_came_before(tmp_path):
    call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    trajectory = [
        *MESSAGES,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "find", "content": "found"},
        {"role": "assistant", "content": "Done.", "tool_calls": None},
    ]
    data = json.dumps([{"task_id": 3, "trial": 0, "traj": trajectory}]).encode()
    (first, second), _ = read(tmp_path, data, bodies="canonical")
    assert (first.session, first.turn, second.turn, second.text) == ("3/0", 0, 1, "Be brief.Hifound")
    assert orjson.loads(second.body)["messages"][2] == {"role": "assistant", "tool_calls": [call]}
    assert first.output_characters == len(orjson.dumps([call]))
    assert second.output_characters == 5


def test_swe_agent_leaves_demonstrations_out(tmp_path):
    demo = {"role": "assistant", "content": "shown", "is_demo": True}
    history = [*MESSAGES, demo, {"role": "assistant", "content": "made", "thought": "t"}]
    found = read_one(tmp_path, {"trajectory": [], "history": history, "info": {}})
    assert (found.text, found.output_characters) == ("Be brief.Hishown", 4)


def test_lmcache_agent_times_are_in_microseconds(tmp_path):
    found = read_one(tmp_path, {"timestamp": 1760587779519310, "input": "in", "output": "out", "session_id": "s"})
    assert (found.arrival_seconds, found.text, found.output_characters, found.session) == (
        1760587779.51931,
        "in",
        3,
        "s",
    )


def test_litellm_calls(tmp_path):
    value = {
        "id": "i", "trace_id": "t", "call_type": "acompletion", "startTime": 1_700_000_000.5, "model": "m",
        "messages": MESSAGES, "model_parameters": {"tools": TOOLS}, "prompt_tokens": 4, "completion_tokens": 2,
        "response": {"choices": [{"message": {"content": "abc"}}]},
    }  # fmt: skip
    requests, rejects = read_values(
        tmp_path,
        value,
        {**value, "id": "j", "messages": [{"role": "user", "content": "redacted-by-litellm"}]},
        {**value, "id": "k", "call_type": "aembedding"},
        {**value, "id": "l", "cache_hit": True},
    )
    first, redacted = requests
    assert (first.text, first.prompt_root, first.session, first.request_id) == ("Be brief.Hi", ROOT, "t", "i")
    assert (first.input_tokens, first.output_tokens, first.output_characters) == (4, 2, 3)
    assert (redacted.text, redacted.input_tokens) == (None, 4)
    assert dict(rejects.noted) == {"messages are redacted": 1}
    assert sum(rejects.rejected.values()) == 2


@pytest.mark.parametrize("camel", [False, True])
def test_langfuse_generations(tmp_path, camel):
    names = (
        ("traceId", "startTime", "usageDetails", "sessionId")
        if camel
        else ("trace_id", "start_time", "usage_details", "session_id")
    )
    trace, start, usage, session = names
    value = {
        "id": "g", trace: "t", "type": "GENERATION", start: "2024-05-29 13:46:19.963000", "model": "m",
        "input": json.dumps(MESSAGES), "output": json.dumps({"role": "assistant", "content": "abc"}),
        usage: {"input": 4, "output": 2}, session: "s",
    }  # fmt: skip
    (found,), rejects = read_values(tmp_path, value, {**value, "id": "h", "type": "SPAN"})
    assert (found.text, found.session, found.arrival_seconds) == ("Be brief.Hi", "s", 1716990379.963)
    assert (found.input_tokens, found.output_tokens, found.output_characters) == (4, 2, 3)
    assert dict(rejects.rejected) == {"an observation that is no model call": 1}


def test_bedrock_converse_and_invoke(tmp_path):
    answer = {"output": {"message": {"content": [{"text": "abc"}]}}}

    def log(body, request_id, **counts):
        return {
            "schemaType": "ModelInvocationLog", "schemaVersion": "1.0", "timestamp": "2026-01-01T00:00:00Z",
            "requestId": request_id, "modelId": "m", "input": {"inputBodyJson": body, "inputTokenCount": 4, **counts},
            "output": {"outputTokenCount": 2, "outputBodyJson": answer},
        }  # fmt: skip

    converse = {"system": [{"text": "S"}], "messages": [{"role": "user", "content": [{"text": "Q"}]}]}
    anthropic = {"system": "S", "messages": [{"role": "user", "content": "Q"}], "max_tokens": 4}
    requests, _ = read_values(
        tmp_path, log(converse, "1", cacheReadInputTokenCount=6), log(anthropic, "2"), log({"inputText": "T"}, "3")
    )
    assert [each.text for each in requests] == ["SQ", "SQ", "T"]
    assert [each.input_tokens for each in requests] == [10, 4, 4]
    assert {each.output_characters for each in requests} == {3}


def otlp(attributes):
    return [{"key": name, "value": {"stringValue": text}} for name, text in attributes.items()]


def test_opentelemetry_spans_in_every_form(tmp_path):
    parts = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}])
    attributes = {
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": parts,
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "S"}]), "gen_ai.conversation.id": "c",
    }  # fmt: skip
    plain = {"trace_id": "t", "span_id": "1", "start_time": "2026-02-25T10:00:00.5", "attributes": attributes}
    nested = {"traceId": "t", "spanId": "2", "startTimeUnixNano": "1772013600500000000", "attributes": otlp(attributes)}
    other = {"traceId": "t", "spanId": "3", "attributes": otlp({"http.method": "GET"})}
    requests, rejects = read_values(
        tmp_path,
        plain,
        {"resourceSpans": [{"scopeSpans": [{"spans": [nested, other]}]}]},
        {"spans": [plain | {"span_id": "4"}]},
    )
    assert len(requests) == 3
    for each in requests:
        assert (each.text, each.session, each.adapter, each.arrival_seconds) == ("SHi", "c", "m", 1772013600.5)
    assert dict(rejects.rejected) == {"a span that is no model call": 1}


def test_vllm_custom_and_timing_tables(tmp_path):
    found = read_one(tmp_path, {"prompt": "p", "output_tokens": 3})
    assert (found.text, found.output_tokens, found.body) == ("p", 3, None)
    azure = b"TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n"
    (row,), _ = read(tmp_path, azure)
    assert (row.line, row.arrival_seconds, row.input_tokens, row.output_tokens) == (2, 1700158546.68059, 374, 44)
    columns = b"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
    (row,), rejects = read(tmp_path, columns + b"\n5,ChatGPT,472,18,490,Conversation log\n6,x\n", bodies="canonical")
    assert (row.arrival_seconds, row.arrival_resolution_seconds, row.adapter, row.body) == (5, 1.0, "ChatGPT", None)
    assert dict(rejects.rejected) == {"not a field for each column": 1}


def test_token_ids_share_blocks_exactly_as_far_as_they_are_equal(tmp_path):
    def line(tokens):
        return {"input_toks": len(tokens), "output_toks": 2, "arrival_time_ns": 46_926_808, "input_tok_ids": tokens}

    same, other = list(range(40)), [*range(20), 99, *range(21, 40)]
    requests, rejects = read_values(tmp_path, line(same), line(other), line([1, -2]), line(same[:32]))
    first, second, third = (each.block_hashes for each in requests)
    assert len(first) == 3
    assert (first[0] == second[0], first[1] == second[1], first[2] == second[2]) == (True, False, False)
    assert third == first[:2]
    assert dict(rejects.rejected) == {"token ids are not whole numbers": 1}
    assert read_one(tmp_path, line(same), block_tokens=8).block_tokens == 8


def test_every_format_is_named_and_recognised_by_one_reader():
    assert set(READERS) == set(Format)
    assert format_of({"unknown": 1}) is None
