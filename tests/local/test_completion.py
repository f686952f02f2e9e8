"""What the simulated container reads from a request, and how it words its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.local.data.completion import DEFAULT_OUTPUT_TOKENS, Usage, Wording, read_completion
from warmroute.local.data.failures import Refusal

HELLO = [{"role": "user", "content": "hello"}]


def _read(**values: Any) -> Any:
    return read_completion(json.dumps(values).encode())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "JSON decode error"),
        (b"[]", "not a JSON object"),
        (b"{}", "no messages, prompt or inputs"),
        (b'{"messages": []}', "no messages"),
        (b'{"messages": [1]}', "must be an object"),
        (b'{"prompt": "x", "max_tokens": 0}', "max_tokens must be at least 1"),
    ],
)
def test_container_refuses_what_it_cannot_read(body: bytes, says: str) -> None:
    with pytest.raises(Refusal, match=says) as refusal:
        read_completion(body)

    assert refusal.value.code == "ModelError"
    assert refusal.value.status == 424
    assert refusal.value.body["OriginalStatusCode"] == 400


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_limit_of_the_answer(name: str) -> None:
    assert _read(messages=HELLO, **{name: 7}).output_tokens == 7


def test_limit_of_a_text_generation_body() -> None:
    assert _read(inputs="hello", parameters={"max_new_tokens": 9}).output_tokens == 9


def test_without_a_limit_the_answer_has_a_stated_length() -> None:
    assert _read(messages=HELLO).output_tokens == DEFAULT_OUTPUT_TOKENS


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
