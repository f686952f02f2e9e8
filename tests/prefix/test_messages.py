"""What is said of a request that has no canonical form, or of settings that are none: word for word."""

from __future__ import annotations

import math
from typing import Any

import pytest

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.prefix import CanonicalJsonError, FieldOrder, canonical_json, explain, find_volatile
from warmroute.prefix.canonical_error import path_to, text_of
from warmroute.rules import join_path

SYNTAX = "Send complete JSON, as RFC 8259 defines it."
KINDS = "Use text, numbers, booleans, None, lists and mappings."
DEEP = "[" * 65 + "]" * 65


@pytest.mark.parametrize(
    ("text", "where", "problem", "remedy"),
    [
        ("\ufeff{}", "request, offset 0", "begins with a byte order mark.", "Remove it: utf-8-sig reads such files."),
        ("{} {}", "request, offset 3", "more text follows the JSON value.", "Send one value."),
        (DEEP, "[0]" * 64 + ", offset 64", "nested deeper than 64 levels.", "Flatten the request."),
        ("{a:1}", "request, offset 1", "a key in double quotes is missing.", SYNTAX),
        ('{"a":1, "a":2}', "a, offset 8", "the key appears twice.", "Keep one; parsers disagree on which."),
        ('{"a" 1}', "a, offset 5", "a colon is missing.", SYNTAX),
        ('["a]', "[0], offset 1", "the string has no end, a control character or a malformed escape.", SYNTAX),
        (
            r'["\ud800"]',
            "[0], offset 1",
            "the text has a lone surrogate, which UTF-8 lacks.",
            "Remove or replace it.",
        ),
        ("[NaN]", "[0], offset 1", "the number is not finite.", "JSON has no NaN and no Infinity."),
        ("[Infinity]", "[0], offset 1", "the number is not finite.", "JSON has no NaN and no Infinity."),
        ("[-Infinity]", "[0], offset 1", "the number is not finite.", "JSON has no NaN and no Infinity."),
        ('{"a":NaN}', "a, offset 5", "the number is not finite.", "JSON has no NaN and no Infinity."),
        (
            '{"a\x01":1}',
            "request, offset 1",
            "the string has no end, a control character or a malformed escape.",
            SYNTAX,
        ),
        ("[1,", "[1], offset 3", "the text ends too early.", SYNTAX),
        ("[1,]", "[1], offset 3", "a JSON value is missing.", SYNTAX),
        ("[1", "request, offset 2", "the text ends too early.", SYNTAX),
        ("[1 2]", "request, offset 3", "a comma is missing.", SYNTAX),
        ('{"a":1', "request, offset 6", "the text ends too early.", SYNTAX),
        ('{"a":1 "b":2}', "request, offset 7", "a comma is missing.", SYNTAX),
        ("[1e999]", "[0], offset 1", "the number is beyond a double's range.", "Send it as text, or a smaller one."),
        ("[-1E+999]", "[0], offset 1", "the number is beyond a double's range.", "Send it as text, or a smaller one."),
    ],
)
def test_a_fault_of_text_is_told_with_its_place_and_its_remedy(
    text: str, where: str, problem: str, remedy: str
) -> None:
    expected = f"{where}: {problem} {remedy}"
    for given in (text, text.encode()):
        with pytest.raises(CanonicalJsonError) as caught:
            canonical_json(given)
        assert str(caught.value) == expected
        assert (caught.value.problem, caught.value.remedy) == (problem, remedy)

        if where.startswith("request, offset 0") or remedy == "Send one value.":
            continue  # Only at the ends of a document.
        path, _, offset = where.rpartition(", offset ")
        inside = path.removeprefix("request")
        with pytest.raises(CanonicalJsonError) as caught:
            canonical_json('{"o":' + given if isinstance(given, str) else b'{"o":' + given)
        depth = "nested deeper" in problem
        assert caught.value.path == join_path("o", inside)[: -3 if depth else None]
        assert caught.value.offset == int(offset) + (4 if depth else 5)
        assert (caught.value.problem, caught.value.remedy) == (problem, remedy)


def test_bytes_that_are_not_utf_8_are_told() -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json(b'["\xff"]')
    assert str(caught.value) == "request, offset 2: the bytes are not UTF-8. Encode JSON in UTF-8."
    assert caught.value.path == ""


@pytest.mark.parametrize(
    ("value", "where", "problem", "remedy"),
    [
        ({"a": {1}}, "a", "a set is not JSON.", KINDS),
        ([b"x"], "[0]", "a bytes is not JSON.", KINDS),
        ({1: 2}, "request", "a key is a int, not text.", "Make every key a str."),
        ([math.nan], "[0]", "the number is not finite.", "JSON has no NaN and no Infinity."),
        ({"a": "\ud800"}, "a", "the text has a lone surrogate, which UTF-8 lacks.", "Remove or replace it."),
    ],
)
def test_a_fault_of_a_value_is_told_with_its_place_and_its_remedy(
    value: Any, where: str, problem: str, remedy: str
) -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json(value)
    assert str(caught.value) == f"{where}: {problem} {remedy}"
    assert caught.value.offset is None


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize("number", [1.5, 1e-9])
def test_sixty_four_levels_are_enough_for_everyone(number: float) -> None:
    """A number with two notations takes the slow way of writing."""
    deepest, place = nested(64), nested(64)
    inner: Any = place
    while inner:
        inner = inner[0]
    inner.append(number)
    assert canonical_json(deepest) == b"[" * 64 + b"]" * 64
    assert canonical_json(place) == b"[" * 64 + repr(number).encode() + b"]" * 64
    inner.append([])
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json(place)
    assert str(caught.value) == f"{'[0]' * 63}[1]: nested deeper than 64 levels. Flatten the request."


def findings(make: Any, *args: Any, **kwargs: Any) -> list[Finding]:
    with pytest.raises(InvalidSettingsError) as caught:
        make(*args, **kwargs)
    return list(caught.value.findings)


def refused(path: str, message: str, remedy: str) -> list[Finding]:
    return [Finding("WR006", Severity.ERROR, path, message, remedy)]


def test_settings_that_are_none_are_told() -> None:
    assert findings(FieldOrder, tools="last") == refused(
        "tools", "There is no such place for tools.", 'Use "before_messages" or "after_messages".'
    )
    assert findings(FieldOrder, version=2) == refused(
        "version", "There is no such version of the field order.", "The only version is 1."
    )
    assert findings(canonical_json, {}, order="last") == refused("order", "The order is a str.", "Give a FieldOrder.")
    assert findings(canonical_json, {}, prompt_changes=7) == refused(
        "prompt_changes", "The changes are a int.", "Give PromptChanges."
    )
    options: Any = {"api": "invoke", "prefix_length": 9}
    for ids in (("a",), "ab", ("a", "b", "c"), None):
        assert findings(explain, {}, {}, **options, prefix_aware_ids=ids) == refused(
            "prefix_aware_ids",
            "These are not two ids.",
            "Give the PrefixAwareId of a and that of b; empty text for none.",
        )
    assert findings(explain, {}, {}, **options, order=1) == refused(
        "order", "The order is a int.", "Give a FieldOrder."
    )


def test_a_field_to_be_moved_is_told_how() -> None:
    body = b'{"request_id":"8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11","inputs":"Hi"}'
    [found] = find_volatile(body, api="invoke", prefix_length=1_024)
    assert found.remedy == (
        "Send canonical_json(request), which puts this field after the prompt; "
        "if it is there already, the request is shorter than prefix_length."
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("messages", 0, "content"), "messages[0].content"),
        (("a b", 1), "[…][1]"),
        (("metadata", "my secret", "x"), "metadata[…].x"),
        (("x" * 40, "x" * 41), f"{'x' * 40}[…]"),
        (("$schema", "_a-b", "-a", "9"), "$schema._a-b[…][…]"),
    ],
)
def test_a_path_has_names_of_fields_and_no_text(path: tuple[str | int, ...], text: str) -> None:
    assert text_of(path) == text
    assert path_to("a", "b") == "a.b"
