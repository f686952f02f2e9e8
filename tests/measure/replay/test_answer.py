"""When an answer's tokens came, whatever the engine sends beside them."""

from __future__ import annotations

import itertools

import orjson
import pytest

from warmroute.measure.replay.answer import Answer

ROLE = {"delta": {"role": "assistant", "content": ""}}
END = {"delta": {}, "finish_reason": "length"}


def answered(*choices):
    """An answer whose chunks arrive at the seconds 1, 2, and so on."""
    answer = Answer(itertools.count(-1).__next__, in_event_stream=False)
    answer.begin(200, {})
    for choice in choices:
        answer.part(b"data: %s\n\n" % orjson.dumps({"object": "chat.completion.chunk", "choices": [choice]}))
    answer.check()
    return answer


@pytest.mark.parametrize(
    ("choices", "first", "last", "tokens"),
    [
        ([ROLE, {"delta": {"content": "a"}}, {"delta": {"content": "b"}}, END], 2, 3, 2),
        # A token that is a part of a character has no text; the role beside no text is no token.
        ([ROLE, {"delta": {"content": ""}}, {"delta": {"content": "é"}}, END], 2, 3, 2),
        ([ROLE, {"delta": {"content": ""}}, {"delta": {"content": ""}, "finish_reason": "length"}], 2, 2, 1),
        ([ROLE, {"delta": {"reasoning_content": "hm"}}, {"delta": {"content": "b"}}, END], 2, 3, 2),
        ([{"text": ""}, {"text": "é"}, {"text": "", "finish_reason": "length"}], 1, 2, 2),
        # Some engines name the role in every chunk.
        ([{"delta": {"role": "assistant", "content": word}} for word in "ab"] + [END], 1, 2, 2),
        # An answer that ends at once has its one token at its end.
        ([ROLE, END], 2, 2, 0),
    ],
)
def test_tokens_are_told_from_what_comes_beside_them(choices, first, last, tokens):
    answer = answered(*choices)
    assert (answer.first_token_at, answer.last_token_at, answer.chunks) == (first, last, tokens)
