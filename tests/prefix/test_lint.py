"""What lint says about recorded requests: each finding word for word, and nothing about one without fault."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError, Severity
from warmroute.prefix import canonical_json, lint, routing_key
from warmroute.prefix.lint import RULES, LintFinding
from warmroute.routing import MIN_PREFIX_LENGTH

Api = Literal["invoke", "openai"]
NOW = "It is 2026-11-30."
FILL_IT = (
    "Use a prefix length that the messages of the first turn fill; a PrefixAwareId tells conversations apart that "
    "then begin alike."
)
SAY_MORE = "Put more of what stays the same before the conversation: a window has 1,024 or more."


def chat(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": text}, {"role": "user", "content": "Hi"}]}


def found(body: bytes, api: Api = "invoke", prefix_length: int = 10) -> list[LintFinding]:
    return list(lint([(7, body)], api=api, prefix_length=prefix_length))


@pytest.mark.parametrize("api", ["invoke", "openai"])
def test_nothing_is_said_about_a_canonical_request_that_fills_its_window(api: Api) -> None:
    assert found(canonical_json(chat("Be kind, always."))) == []
    assert found(canonical_json(chat("Be kind, always.")) + b"\n") == []


@pytest.mark.parametrize(
    ("body", "path", "message", "remedy"),
    [
        (
            b'{"a":1,"a":2}',
            "a",
            "the key appears twice at byte 7.",
            "Keep one; parsers disagree on which.",
        ),
        (b'{"a":"\xff"}', "", "the bytes are not UTF-8 at byte 6.", "Encode JSON in UTF-8."),
    ],
)
def test_what_is_not_json_is_an_error_and_where(body: bytes, path: str, message: str, remedy: str) -> None:
    assert found(body) == [LintFinding("WP101", Severity.ERROR, 7, path, message, remedy)]


def test_other_notation_counts_where_bytes_are_compared() -> None:
    body = json.dumps(chat("Be kind, always.")).encode()
    said = "The body is not in canonical form."
    remedy = "Send canonical_json(request), or install warmroute's client helper."
    assert found(body) == [LintFinding("WP102", Severity.WARNING, 7, "", said, remedy)]
    assert found(body, "openai") == []


@pytest.mark.parametrize(
    ("api", "length", "message", "remedy"),
    [
        (
            "invoke",
            1_099,
            "1,098 bytes, fewer than the window of 1,099.",
            FILL_IT,
        ),
        (
            "openai",
            1_025,
            "1,024 characters, fewer than the window of 1,025.",
            FILL_IT,
        ),
        (
            "openai",
            1_024 + 1,
            "1,023 characters, fewer than the window of 1,025.",
            SAY_MORE,
        ),
    ],
)
def test_a_request_shorter_than_the_window_is_said_to_be(api: Api, length: int, message: str, remedy: str) -> None:
    body = canonical_json(chat("x" * (1_021 if message.startswith("1,023") else 1_022)))
    assert found(body, api, length) == [LintFinding("WP103", Severity.WARNING, 7, "", message, remedy)]
    assert found(body, api, 1_000) == []


@pytest.mark.parametrize(
    ("api", "message"),
    [
        ("invoke", "date at byte 1,047 of the window: 0000-00-00."),
        ("openai", "date at character 1,006 of the window: 0000-00-00."),
    ],
)
def test_what_changes_from_call_to_call_is_shown_by_its_form(api: Api, message: str) -> None:
    remedy = "Move the date to the last message, or leave it out; each midnight changes every key."
    body = canonical_json(chat("x" * 999 + " " + NOW))
    expected = LintFinding("WP104", Severity.WARNING, 7, "messages[0].content", message, remedy)
    assert found(body, api, 1_018) == ([expected] if api == "openai" else [])
    assert found(body, api, 1_048)[-1:] == [expected]


def test_a_request_of_another_api_is_an_error_and_the_next_one_is_read() -> None:
    said = ("request.messages", "The request has no list of messages.", "Give a chat request as a mapping.")
    bodies = [(1, b'{"prompt":"Hi"}'), (2, b"{"), (3, canonical_json(chat(NOW)))]
    findings = list(lint(bodies, api="openai", prefix_length=10))
    assert findings[0] == LintFinding("WP105", Severity.ERROR, 1, *said)
    assert [(each.id, each.line) for each in findings] == [("WP105", 1), ("WP101", 2), ("WP104", 3)]
    assert {each.id for each in findings} < set(RULES)


@pytest.mark.parametrize("length", [0, True, 1.5])
def test_a_length_that_no_window_has_is_refused_before_any_request(length: Any) -> None:
    with pytest.raises(InvalidSettingsError, match="prefix_length"):
        list(lint([], api="invoke", prefix_length=length))


@given(st.integers(0, 6_000))
def test_a_growing_conversation_keeps_its_key_by_what_is_advised_and_not_by_an_id_alone(size: int) -> None:
    turn = {"messages": [{"role": "system", "content": "x" * size}]}
    grown = {"messages": [*turn["messages"], {"role": "user", "content": "And then?"}]}
    bodies = canonical_json(turn), canonical_json(grown)
    key = partial(routing_key, api="invoke", prefix_aware_id="one-conversation")

    short = [each for each in lint([(1, bodies[0])], api="invoke", prefix_length=4_096) if each.id == "WP103"]

    assert bool(short) == (len(bodies[0]) < 4_096)
    if short:
        assert len({key(body, prefix_length=4_096) for body in bodies}) == 2
        fills = len(bodies[0]) >= MIN_PREFIX_LENGTH
        assert ("prefix length that the messages of the first turn fill" in short[0].remedy) == fills
        assert ("Put more of what stays the same before the conversation" in short[0].remedy) == (not fills)
        filled = len(bodies[0]) - len("]}")
        assert len({key(body, prefix_length=filled) for body in bodies}) == 1
