"""Forms in which exporters write the same thing, and lines that are no request for a reason that is told."""

from __future__ import annotations

import base64
import json

import pytest
from traffic.recorded import read_one, read_values

from warmroute.traffic.bodies.answers import answer_of

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
LANGFUSE = {"id": "g", "trace_id": "t", "type": "GENERATION", "start_time": "2024-05-29 13:46:19", "model": "m"}
GENERATION = {**LANGFUSE, "input": MESSAGES}
BEDROCK = {"schemaType": "ModelInvocationLog", "timestamp": "2026-01-01T00:00:00Z", "requestId": "1", "modelId": "m"}
BATCH = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": MESSAGES}}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (MESSAGES, "Be brief.Hi"),
        ({"messages": MESSAGES}, "Be brief.Hi"),
        (MESSAGES[1], "Hi"),
        ("Once upon", "Once upon"),
        ("[not JSON", "[not JSON"),
    ],
)
def test_what_langfuse_s_generations_were_given(tmp_path, said, text):
    assert read_one(tmp_path, {**LANGFUSE, "input": said}).text == text


@pytest.mark.parametrize(
    ("output", "characters"),
    [
        ("abc", 3),
        ({"role": "assistant", "content": "abc"}, 3),
        ({"choices": [{"message": {"content": "abcd"}}]}, 4),
        (["abc"], None),
    ],
)
def test_what_langfuse_s_generations_answered(tmp_path, output, characters):
    assert read_one(tmp_path, {**LANGFUSE, "input": MESSAGES, "output": output}).output_characters == characters


def otlp(value):
    """A value as OTLP types it."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [otlp(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": name, "value": otlp(each)} for name, each in value.items()]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def test_a_span_with_typed_values_is_the_one_with_json_text(tmp_path):
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": "Weather?"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "name": "find", "arguments": {"at": "here"}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "response": {"rain": 1}}, "unknown"]},
        {"role": "user", "content": "And now?"},
    ]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "Rain."}]}]
    tools = [{"name": "find"}]
    values = {
        "gen_ai.input.messages": messages,
        "gen_ai.output.messages": said,
        "gen_ai.tool.definitions": tools,
        "gen_ai.usage.input_tokens": 12,
    }
    plain = {"trace_id": "t", "span_id": "1", "start_time": "2026-02-25T10:00:00"}
    as_text = {name: json.dumps(value) if isinstance(value, list) else value for name, value in values.items()}
    typed = [{"key": name, "value": otlp(value)} for name, value in values.items()]

    requests, rejects = read_values(
        tmp_path, {**plain, "attributes": as_text}, {**plain, "span_id": "2", "attributes": typed}
    )

    one, other = requests
    assert not rejects.rejected
    assert one.text == 'Weather?{"rain":1}And now?'
    assert (one.input_tokens, one.output_characters, one.prompt_root) == (12, 5, '{"tools":[{"name":"find"}]}')
    same = ("text", "input_tokens", "output_characters", "prompt_root", "session", "arrival_seconds")
    assert [getattr(one, name) for name in same] == [getattr(other, name) for name in same]


def test_an_answer_of_a_span_may_be_plain_text(tmp_path):
    attributes = {"gen_ai.input.messages": json.dumps(MESSAGES), "gen_ai.output.text": "abc"}

    assert read_one(tmp_path, {"trace_id": "t", "span_id": "1", "attributes": attributes}).output_characters == 3


def test_a_span_whose_messages_cannot_be_read_is_known_by_its_tokens(tmp_path):
    attributes = {"gen_ai.input.messages": "[{", "gen_ai.usage.prompt_tokens": 7, "gen_ai.output.messages": "[1]"}
    found = read_one(tmp_path, {"trace_id": "t", "span_id": "1", "attributes": attributes})

    assert (found.text, found.input_tokens, found.output_characters) == (None, 7, None)


def test_a_bedrock_body_in_s3_is_noted_and_its_tokens_count(tmp_path):
    sent = {"inputBodyS3Path": "s3://logs/1", "inputTokenCount": 9}
    tools = {"tools": [{"toolSpec": {"name": "find"}}]}
    converse = {"messages": [{"role": "user", "content": [{"text": "Q"}]}, "odd"], "toolConfig": tools}
    requests, rejects = read_values(
        tmp_path, {**BEDROCK, "input": sent}, {**BEDROCK, "requestId": "2", "input": {"inputBodyJson": converse}}
    )

    assert [(each.text, each.input_tokens) for each in requests] == [(None, 9), ("Q", None)]
    assert "find" in requests[1].prompt_root
    assert rejects.noted["the body is in S3, and is not read"] == 1


def test_litellm_calls_of_other_apis(tmp_path):
    value = {"id": "i", "trace_id": "t", "call_type": "acompletion", "startTime": 1_700_000_000.5, "model": "m"}
    requests, _ = read_values(
        tmp_path,
        {**value, "messages": {"messages": MESSAGES}},
        {**value, "id": "j", "call_type": "atext_completion", "messages": "Once upon"},
    )

    assert [each.text for each in requests] == ["Be brief.Hi", "Once upon"]


@pytest.mark.parametrize(
    ("good", "bad", "reason"),
    [
        (BATCH, {"custom_id": "b", "body": {}}, "neither body nor response"),
        (
            {**BEDROCK, "input": {"inputTokenCount": 4}},
            {**BEDROCK, "schemaType": "Other"},
            "schemaType is not ModelInvocationLog",
        ),
        (
            {"arrival_time_ns": 1, "input_toks": 2, "output_toks": 2, "input_tok_ids": [1, 2]},
            {"arrival_time_ns": 1, "input_toks": 3, "output_toks": 2, "input_tok_ids": [1, 2]},
            "input_toks is not the number of input_tok_ids",
        ),
        (
            {"id": "a", "conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "A"}]},
            {"id": "b", "conversations": [{"from": "nobody", "value": "Q"}]},
            "a turn is from neither human, gpt, system nor tool",
        ),
        (
            {"id": "a", "conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "A"}]},
            {"id": "b", "conversations": [{"from": "human", "value": "Q"}]},
            "no message is an answer",
        ),
        (GENERATION, {**GENERATION, "id": "h", "start_time": "yesterday"}, "start_time is not a date and time"),
        (
            GENERATION,
            {**GENERATION, "id": "h", "start_time": "2024-13-29 13:46:19"},
            "start_time is not a date and time",
        ),
        (GENERATION, {**GENERATION, "id": "h", "start_time": "1969-12-31 23:59:59"}, "start_time is before 1970"),
        (
            {"timestamp": 0, "input_length": 4, "output_length": 2},
            {"timestamp": "soon", "input_length": 4, "output_length": 2},
            "timestamp is not a number",
        ),
        (
            {"timestamp": 0, "input_length": 4, "output_length": 2},
            {"timestamp": -1, "input_length": 4, "output_length": 2},
            "timestamp is below 0, or after the year 9999",
        ),
    ],
)
def test_a_line_that_is_no_request_is_left_out_with_its_reason(tmp_path, good, bad, reason):
    requests, rejects = read_values(tmp_path, good, bad)

    assert len(requests) == 1
    assert dict(rejects.rejected) == {reason: 1}


def test_an_answer_of_a_batch_that_comes_twice_is_taken_once(tmp_path):
    answer = {"usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    output = {"id": "x", "custom_id": "a", "response": {"status_code": 200, "body": answer}, "error": None}
    requests, rejects = read_values(tmp_path, output, output, BATCH)

    assert [each.input_tokens for each in requests] == [7]
    assert dict(rejects.rejected) == {"an id met before": 1}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([{"generated_text": "abc"}], (None, None, 3)),
        ({"content": [{"type": "text", "text": "abc"}], "usage": {"input_tokens": 5, "output_tokens": 2}}, (5, 2, 3)),
        ({"choices": [{"text": "abcd"}], "usage": {"prompt_tokens": "many"}}, (None, None, 4)),
        ("abc", (None, None, None)),
        ([], (None, None, None)),
    ],
)
def test_answers_of_every_server_are_counted_as_far_as_their_shape_is_known(answer, told):
    assert tuple(answer_of(answer)) == told


def test_captured_bytes_that_are_no_base64_are_an_answer_that_cannot_be_read(tmp_path):
    body = base64.b64encode(json.dumps({"messages": MESSAGES}).encode()).decode()
    value = {
        "captureData": {
            "endpointInput": {"data": body, "encoding": "BASE64", "mode": "INPUT"},
            "endpointOutput": {"data": "%%", "encoding": "BASE64", "mode": "OUTPUT"},
        },
        "eventMetadata": {"eventId": "e", "inferenceTime": "2026-04-29T00:03:18Z"},
        "eventVersion": "0",
    }
    (found,), rejects = read_values(tmp_path, value)

    assert (found.text, found.output_tokens) == ("Be brief.Hi", None)
    assert dict(rejects.noted) == {"the answer could not be read": 1}
