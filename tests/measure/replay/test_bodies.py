"""What is sent for a recorded request."""

from __future__ import annotations

import orjson
import pytest

from warmroute.measure.replay import Bodies, Sending
from warmroute.measure.replay.synthetic_text import synthetic_text
from warmroute.traffic import TrafficRequest

RECORDED = b'{"max_tokens": 9, "messages": [{"role": "user", "content": "\\u00e9"}], "stream": false, "stop": ["x"]}'


def request(**known):
    return TrafficRequest(source="trace.jsonl", line=3, **known)


def body(recorded, *, chat_only=True, **sending):
    bodies = Bodies(Sending(**sending), chat_only=chat_only)
    made = bodies.body_of(recorded)
    assert made.data.endswith(b"}")
    return made, orjson.loads(made.data), bodies.notes


def test_a_recorded_body_keeps_its_bytes_before_what_is_set():
    made, fields, notes = body(request(body=RECORDED, text="é", output_tokens=7))

    assert made.data.startswith(b'{"messages": [{"role": "user", "content": "\\u00e9"}]')
    assert fields["max_tokens"] == 7
    assert (fields["temperature"], fields["ignore_eos"], fields["stream"]) == (0.0, True, True)
    assert fields["stream_options"] == {"include_usage": True}
    assert "stop" not in fields
    assert not notes


def test_a_canonical_body_on_request():
    made, _, _ = body(request(body=RECORDED, text="é", output_tokens=7), bodies="canonical")
    assert made.data.startswith('{"messages":[{"role":"user","content":"é"}]'.encode())


def test_answers_may_keep_their_own_length_and_temperature():
    recorded = b'{"messages":[],"temperature":0.7,"stop":["x"]}'
    _, fields, _ = body(request(body=recorded, text=""), fixed_length=False, temperature=None)
    assert fields["temperature"] == 0.7
    assert fields["stop"] == ["x"]
    assert "ignore_eos" not in fields


@pytest.mark.parametrize("recorded", [RECORDED, b'{"model": "gpt", "messages": []}'])
def test_another_model(recorded):
    made, fields, _ = body(request(body=recorded, text="x"), model="llama")
    assert fields["model"] == "llama"
    assert next(iter(orjson.loads(made.data))) == "model"


@pytest.mark.parametrize(
    ("known", "tokens", "noted"),
    [
        ({"output_tokens": 5, "output_characters": 400}, 5, False),
        ({"output_tokens": 0}, 1, False),
        ({"output_characters": 41}, 10, True),
        ({}, 9, True),
    ],
)
def test_how_long_the_answer_is(known, tokens, noted):
    _, fields, notes = body(request(body=RECORDED, text="x", **known))
    assert fields["max_tokens"] == tokens
    assert bool(notes) is noted


def test_no_length_at_all():
    _, fields, notes = body(request(text="hello"), default_output_tokens=33)
    assert fields["max_tokens"] == 33
    assert notes["given 33 output tokens, since no length is recorded"] == 1


def test_the_salt_comes_last_and_keeps_recorded_salts_apart():
    made, fields, _ = body(request(body=b'{"cache_salt":"team","messages":[]}', text="x"))
    assert "cache_salt" not in fields

    salted = orjson.loads(made.salted("run"))

    assert salted["cache_salt"] == "run.team"
    assert list(salted)[-1] == "cache_salt"


def test_without_a_salt_of_the_run_the_recorded_one_stays():
    made, fields, _ = body(request(body=b'{"cache_salt":"team","messages":[]}', text="x"), cache_salt=False)
    assert fields["cache_salt"] == "team"
    assert not made.salt


def test_a_bare_prompt_is_a_message_where_only_chats_are_taken():
    prompt = request(body=b'{"prompt":"Hello","model":"m"}', text="Hello", output_tokens=1)
    _, chat, notes = body(prompt)
    assert chat["messages"] == [{"role": "user", "content": "Hello"}]
    assert chat["model"] == "m"
    assert notes["sent as one message of their text"] == 1
    assert body(prompt, chat_only=False)[1]["prompt"] == "Hello"


def test_the_id_of_a_tenant_goes_into_a_chat_body():
    _, fields, _ = body(request(body=RECORDED, text="x", prefix_aware_id="team-a"))
    assert fields["prompt_cache_key"] == "team-a"
    assert "prompt_cache_key" not in body(request(text="x", prefix_aware_id="team-a"), chat_only=False)[1]


def test_made_up_text_is_as_long_and_as_shared_as_the_trace_says():
    first, second, partial = (
        synthetic_text(request(block_hashes=hashes, block_tokens=16, input_tokens=tokens))
        for hashes, tokens in (((1, 2, 3), 48), ((1, 2, 4), 48), ((1, 2, 3), 40))
    )
    assert len(first) == len(second) == 48 * 4
    assert first[:128] == second[:128]
    assert first[128:] != second[128:]
    assert first.startswith(partial)
    assert len(partial) == 160
    assert first.split(" ")[1:] == [word for word in first.split(" ") if len(word) == 3]


def test_made_up_text_beyond_the_hashes_is_shared_with_nobody():
    one = synthetic_text(request(block_hashes=(1,), block_tokens=16, input_tokens=64))
    other = synthetic_text(
        TrafficRequest(source="trace.jsonl", line=4, block_hashes=(1,), block_tokens=16, input_tokens=64)
    )
    assert len(one) == len(other) == 256
    assert one[:64] == other[:64]
    assert one[64:128] != other[64:128]


def test_made_up_text_is_the_same_everywhere():
    assert synthetic_text(request(block_hashes=(7,), block_tokens=4)) == " the how our who"
