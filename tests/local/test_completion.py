"""What the simulated container reads from a request, and how it words its answer."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.local.engines.completion import DEFAULT_OUTPUT_TOKENS, read_completion
from warmroute.local.engines.container import ContainerRefusal
from warmroute.local.engines.wording import Usage, Wording

HELLO = [{"role": "user", "content": "hello"}]


def _read(**values: Any) -> Any:
    return read_completion(json.dumps(values).encode())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "JSON decode error"),
        (b"[]", "not a JSON object"),
        (b"{}", "no messages, prompt or inputs"),
        (b'{"messages": []}', "messages is empty"),
        (b'{"messages": [], "prompt": "x"}', "messages is empty"),
        (b'{"messages": {}}', "messages must be a list, got dict"),
        (b'{"messages": [1]}', r"messages\[0\] must be an object"),
        (b'{"messages": [{"role": {}}]}', r"messages\[0\].role must be text, got dict"),
        (b'{"prompt": ["x", "y"]}', "one prompt, as text"),
        (b'{"prompt": "x", "max_tokens": 0}', "max_tokens must be at least 1, got 0"),
        (b'{"prompt": "x", "max_tokens": true}', "max_tokens must be an integer, got true"),
        (b'{"prompt": "x", "max_tokens": 1.5}', "max_tokens must be an integer, got 1.5"),
        (b'{"prompt": "x", "max_tokens": "5"}', 'max_tokens must be an integer, got "5"'),
        (b'{"prompt": "x", "max_tokens": [5]}', "max_tokens must be an integer, got list"),
        (b'{"prompt": "x", "max_tokens": 18446744073709551616}', "max_tokens must be an integer"),
        (b'{"inputs": "x", "parameters": {"max_new_tokens": false}}', "max_new_tokens must be an integer"),
        (b'{"prompt": "x", "parameters": 1}', "parameters must be an object, got 1"),
        (b'{"prompt": "x", "stream": "true"}', "stream must be true or false"),
        (b'{"prompt": "x", "stream_options": {"include_usage": 1}}', "include_usage must be true or false"),
        (b'{"prompt": "x", "model": {"a": 1}}', "model must be text"),
        (b'{"prompt": "x", "cache_salt": 5}', "cache_salt must be text, got 5"),
    ],
)
def test_container_refuses_what_it_cannot_read(body: bytes, says: str) -> None:
    with pytest.raises(ContainerRefusal, match=says) as refusal:
        read_completion(body)

    assert refusal.value.status == 400


def test_null_is_as_good_as_absent() -> None:
    nothing = dict.fromkeys(("max_tokens", "stream", "stream_options", "parameters", "model", "cache_salt", "tools"))
    assert _read(messages=HELLO, **nothing) == _read(messages=HELLO)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_limit_of_the_answer(name: str) -> None:
    assert _read(messages=HELLO, **{name: 7}).output_tokens == 7


def test_limit_of_a_text_generation_body() -> None:
    assert _read(inputs="hello", parameters={"max_new_tokens": 9}).output_tokens == 9


def test_an_answer_ends_by_itself_unless_it_is_cut() -> None:
    def ends(**values: Any) -> str:
        wording = Wording(_read(messages=HELLO, **values), "id", "llama")
        return str(json.loads(wording.whole(Usage(1, 1, None)))["choices"][0]["finish_reason"])

    assert (ends(), ends(max_tokens=5)) == ("stop", "length")


def test_without_a_limit_the_answer_has_a_stated_length() -> None:
    assert _read(messages=HELLO).output_tokens == DEFAULT_OUTPUT_TOKENS


@pytest.mark.parametrize("depth", [100, 254, 255, 300, 1_000])
@pytest.mark.parametrize(
    "around",
    [
        b'{"messages": [{"role": "user", "content": %s}]}',
        b'{"messages": [{"role": "user", "content": "x", "name": %s}]}',
        b'{"messages": [{"role": "user", "content": "x"}], "tools": %s}',
        b'{"messages": [{"role": %s, "content": "x"}]}',
        b'{"prompt": "x", "model": %s}',
        b'{"prompt": %s}',
        b'{"prompt": "x", "max_tokens": %s}',
    ],
)
def test_depth_is_read_or_refused(around: bytes, depth: int) -> None:
    body = around % (b"[" * depth + b"]" * depth)
    with contextlib.suppress(ContainerRefusal):
        assert "[[" in read_completion(body).text


messages = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.text()})


@given(st.lists(messages, min_size=1))
def test_a_longer_conversation_begins_with_the_shorter(messages: list[dict[str, str]]) -> None:
    shorter = _read(messages=messages).text
    longer = _read(messages=[*messages, {"role": "user", "content": "more"}]).text

    assert longer.startswith(shorter.removesuffix("<|assistant|>"))


@given(st.integers(1, 40), st.integers(1, 5))
def test_streamed_and_whole_answers_have_the_same_words(tokens: int, step: int) -> None:
    completion = _read(messages=HELLO, max_tokens=tokens, stream=True, stream_options={"include_usage": True})
    wording, usage = Wording(completion, "id", "llama"), Usage(3, tokens, 2)
    chunks = [wording.chunk(at, min(step, tokens - at), last=at + step >= tokens) for at in range(0, tokens, step)]
    events = [json.loads(line[6:]) for line in b"".join(chunks).decode().split("\n\n") if line]
    tail = wording.end(usage).decode().split("\n\n")

    words = "".join(event["choices"][0]["delta"]["content"] for event in events)
    whole = json.loads(wording.whole(usage))
    assert words == whole["choices"][0]["message"]["content"]
    assert [event["choices"][0]["finish_reason"] for event in events] == [None] * (len(events) - 1) + ["length"]
    assert json.loads(tail[0][6:])["usage"] == whole["usage"]
    assert tail[1] == "data: [DONE]"


def test_usage_hides_cached_tokens_that_the_engine_does_not_report() -> None:
    assert Usage(10, 2, None).as_dict()["prompt_tokens_details"] is None
    assert Usage(10, 2, 8).as_dict()["prompt_tokens_details"] == {"cached_tokens": 8}
