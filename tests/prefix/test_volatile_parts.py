"""The parts of which the search for volatile text is made, each against a plain account of what it does."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warmroute.prefix import VolatileKind, find_volatile
from warmroute.prefix.unescaped_text import QUOTE, UnescapedText
from warmroute.prefix.volatile_dates import with_clock
from warmroute.prefix.volatile_doubt import _before, is_fixed
from warmroute.prefix.volatile_text import Span, _around, _compiled, volatile_spans

K = VolatileKind
REACH = 80
SIGN = re.compile("1")


@given(st.lists(st.integers(0, 400), max_size=6), st.integers(0, 500), st.integers(0, 500))
@example([0, 400], 0, 450)  # Two stretches, of which the first begins with the text.
@example([100, 261], 0, 450)  # Two that touch are one.
def test_stretches_are_all_that_is_near_a_sign(places: list[int], start: int, end: int) -> None:
    text = "".join("1" if place in places else "x" for place in range(450))
    near = {
        index
        for place in places
        if start <= place < end
        for index in range(max(place - REACH, start), min(place + 1 + REACH, end))
    }
    stretches = list(_around(SIGN, text, start, end))
    assert {index for stretch in stretches for index in range(*stretch) if index < len(text)} == {
        index for index in near if index < len(text)
    }
    assert all(before[1] < after[0] for before, after in pairwise(stretches))


def test_a_pattern_is_tried_near_each_of_its_signs() -> None:
    assert _compiled([(K.ID, ("a", "b"), "[ab]c"), (K.DATE, ("d",), "de")]) == [
        (K.ID, re.compile("a"), re.compile("[ab]c")),
        (K.ID, re.compile("b"), re.compile("[ab]c")),
        (K.DATE, re.compile("d"), re.compile("de")),
    ]


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("DAY", None), ("DAY 10:15", " 10:15"), ("DAYT10:15:30.25Z", "T10:15:30.25Z"),
        ("DAY, at 9:15 AM", ", at 9:15 AM"), ("DAY um 10:15", " um 10:15"),
        ("DAY:10:15:32 +0000", ":10:15:32 +0000"), ("DAY_10-15-32", "_10-15-32"),
    ],
)  # fmt: skip
def test_a_date_is_read_with_the_time_of_day_behind_it(text: str, clock: str | None) -> None:
    pattern = re.compile(with_clock("DAY"))
    for end in ("", ",", " or so"):
        found = pattern.match(text + end)
        assert found
        assert (found[0], found["clock"]) == (text, clock)


@pytest.mark.parametrize("text", ["DAYS", "DAY-2", "DAY/x", "DAY_"])
def test_what_goes_on_behind_a_date_is_a_name(text: str) -> None:
    assert not re.search(with_clock("DAY"), text)


@pytest.mark.parametrize(
    ("text", "stands_before"),
    [
        ("since ", True), ("Since: ", True), ("SINCE the ", True), ("dated (on the, ", True), ("since", True),
        ("", False), ("since then ", False), ("since\n\n", False), ("since x", False), ("dated", True),
        ("since the on the ", True), ("since on the on the ", False),
    ],
)  # fmt: skip
def test_small_words_may_stand_between_a_word_and_a_piece(text: str, stands_before: bool) -> None:
    assert bool(_before("since|dated", "on|the").search(text)) is stands_before


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2026-11-30", K.DATE),
        ("2026-11-30 12:00", K.TIME),
        ("ab12" * 6, K.HEX_ID),
        ("Turn 7/9", K.COUNTER),
        ("run-0a1b2c3d_4e5f6a", K.ID),  # With two of its signs.
    ],
)
def test_a_piece_may_be_all_of_the_text_or_stand_at_its_ends(text: str, kind: VolatileKind) -> None:
    assert volatile_spans(text) == [Span(0, len(text), kind)]
    assert volatile_spans(f"{text}\n\n{text}") == [
        Span(0, len(text), kind),
        Span(len(text) + 2, 2 * len(text) + 2, kind),
    ]


@pytest.mark.parametrize("digits", [23, 24])
def test_a_hexadecimal_id_has_twenty_four_digits(digits: int) -> None:
    text = ("a1" * 12)[:digits]
    assert volatile_spans(text) == ([Span(0, 24, K.HEX_ID)] if digits == 24 else [])
    assert volatile_spans(text.upper()) == volatile_spans(text)


def test_text_that_no_encoding_takes_is_searched_too() -> None:
    assert volatile_spans("\ud800 2026-11-30") == [Span(2, 12, K.DATE)]


def test_what_looks_fixed_counts_where_it_was_seen_to_change() -> None:
    text = "For example 2026-11-30."
    assert volatile_spans(text) == []
    assert volatile_spans(text, is_known_to_change=True) == [Span(12, 22, K.DATE)]


@given(st.text(), st.booleans(), st.data())
def test_each_character_is_found_again_in_the_json_text(text: str, escaped: bool, data: st.DataObject) -> None:
    body = json.dumps(text.replace(QUOTE, ""), ensure_ascii=escaped).encode(errors="replace")
    plain = json.loads(body)
    window = UnescapedText(body)
    assert window.text == QUOTE + plain + QUOTE
    indices = sorted(data.draw(st.sets(st.integers(0, len(plain)))))
    offsets = [window.byte_offset(index + 1) for index in indices]
    for index, offset in zip(indices, offsets, strict=True):
        assert json.loads(body[:offset] + b'"') == plain[:index]


@pytest.mark.parametrize(
    ("escape", "character"),
    [
        (r"\n", "\n"), (r"\r", "\r"), (r"\t", "\t"), (r"\b", "\b"), (r"\f", "\f"), (r"\/", "/"), (r"\\", "\\"),
        (r"\"", '"'), (r"\u0041", "A"), (r"\u00e9", "é"), (r"\uD83D\uDE00", "😀"), (r"\ud83dx", "\ufffdx"),
    ],
)  # fmt: skip
def test_an_escape_is_its_character(escape: str, character: str) -> None:
    window = UnescapedText(f'"a{escape}b'.encode())
    assert window.text == f"{QUOTE}a{character}b"
    assert window.byte_offset(2) == 2
    assert window.byte_offset(len(window.text) - 1) == len(f'"a{escape}')


def test_a_text_that_is_cut_inside_a_character_ends_before_it() -> None:
    assert UnescapedText('"é'.encode()[:-1]).text == QUOTE


@pytest.mark.parametrize(
    ("before", "piece", "after", "kind", "fixed"),
    [
        ("", "2026-11-30", "", K.DATE, False),
        ("e.g. ", "2026-11-30", "", K.DATE, True),
        ("for example ", "2026-11-30", "", K.DATE, True),
        ("for example " + "x" * 63, "2026-11-30", "", K.DATE, True),
        ("for example " + "x" * 90, "2026-11-30", "", K.DATE, False),
        ("for example this. ", "2026-11-30", "", K.DATE, False),
        ("Effective ", "2026-11-30", "", K.DATE, True),
        ("sha1 ", "ab12" * 10, "", K.HEX_ID, True),
        ("", "ab12" * 10, "", K.HEX_ID, False),
        ("call ", "1764500000", "", K.EPOCH, True),
        ("last ", "7 prior turns", "", K.COUNTER, True),
        ("call ", "7 prior turns", "", K.COUNTER, False),
        ("sha1 ", "call_a1B2c3D4e5", "", K.ID, False),
        ("", "2026-11-30", " から", K.DATE, True),
        ("", "12:30", " から", K.TIME, True),
        ("", "1764000000", "", K.EPOCH, True),
        ("", "1764000000", " or so", K.EPOCH, True),
        ("1000000 ", "1764500000", "", K.EPOCH, False),
        ("", "1764500000", "", K.EPOCH, False),
        ("", "1764500000", " bytes", K.EPOCH, True),
        ("", "2026-11-30", " bytes", K.DATE, False),
        ("now ", "12:30", "", K.TIME, False),
        ("", "12:30", "", K.TIME, True),
        ("", "12:31", "", K.TIME, False),
        ("", "12:30:00", "", K.TIME, False),
        ("at ", "12:30:00", "", K.TIME, True),
        ("at ", "12:31", "", K.TIME, True),
        ("at ", "12:31:07", "", K.TIME, False),
        ("", "12:31", " daily", K.TIME, True),
        ("", "12:31", "-13:17", K.TIME, True),
        ("11:17-", "12:31", "", K.TIME, True),
        ("", "12:31-13:17", "", K.TIME, True),
        ("", "12:31-20:17", "", K.TIME, True),
        ("opening time ", "12:31", "", K.TIME, True),
        ("", "12:31", " ratio", K.TIME, True),
        ("now ", "12:31", " ratio", K.TIME, True),
        ("at ", "2026-11-30 12:31", "", K.TIME, False),
        ("at ", "30.11.26 12:30", "", K.TIME, False),
        ("", "14h59", " daily", K.TIME, True),
    ],
)
def test_what_its_surroundings_say_of_a_piece(
    before: str, piece: str, after: str, kind: VolatileKind, fixed: bool
) -> None:
    for more in ("", "x" * 200 + ". "):
        start = len(more + before)
        assert is_fixed(more + before + piece + after, start, start + len(piece), kind) is fixed


def system(text: Any, role: str = "system") -> dict[str, Any]:
    return {"role": role, "content": text}


NOW = "It is 2026-11-30."


@pytest.mark.parametrize(
    ("roles", "found"),
    [
        (["system"], [0]),
        (["system", "user"], [0]),
        (["user", "user"], [0]),
        (["system", "user", "user"], [0, 1]),
        (["user", "assistant", "user"], [0]),
        (["user", "assistant", "user", "user"], [0]),
        (["user", "assistant", "system", "user"], [0, 2]),
        (["user", "tool", "developer", "user"], [0, 2]),
        (["assistant", "user"], []),
        (["developer", "assistant", "developer"], [0]),
        ([None, "user"], []),
        ([7, "system", "user"], [1]),
        ([["user"], "system", "user"], [1]),
    ],
)
@pytest.mark.parametrize("api", ["invoke", "openai"])
def test_messages_whose_text_is_written_anew(api: Any, roles: list[Any], found: list[int]) -> None:
    request_ = {"messages": [system(NOW, role) for role in roles]}
    findings = find_volatile(request_, api=api, prefix_length=9_999)
    assert [each.path for each in findings] == [f"messages[{position}].content" for position in found]


@pytest.mark.parametrize(
    ("request_", "paths"),
    [
        ({"model": "gpt 2026-11-30"}, []),
        ({"models": "gpt 2026-11-30"}, ["models"]),
        ({"tools": [{"function": {"name": "at 2026-11-30"}}]}, []),
        ({"tools": [{"function": {"description": NOW}}]}, ["tools[0].function.description"]),
        ({"functions": [{"name": NOW}]}, []),
        ({"tool_choice": {"name": NOW}}, []),
        ({"response_format": {"const": NOW}}, []),
        ({"response_format": {"enum": ["a", NOW]}}, []),
        ({"other": {"name": NOW}}, ["other.name"]),
        ({"inputs": NOW}, ["inputs"]),
    ],
)
def test_names_and_values_of_schemas_stay(request_: dict[str, Any], paths: list[str]) -> None:
    assert [each.path for each in find_volatile(request_, api="invoke", prefix_length=999)] == paths


def test_json_that_is_no_object_is_searched_too() -> None:
    [found] = find_volatile(f'"{NOW}"', api="invoke", prefix_length=99)
    assert (found.path, found.offset, found.text) == ("", 7, "0000-00-00")


@pytest.mark.parametrize(("length", "count"), [(6, 0), (7, 1), (23, 1), (24, 2), (40, 2), (41, 3), (99, 3)])
def test_the_texts_of_messages_share_one_window(length: int, count: int) -> None:
    request_ = {"messages": [system(NOW), system(NOW), system(NOW), system("Hi", "user")]}
    found = find_volatile(request_, api="openai", prefix_length=length)
    assert [each.offset for each in found] == [6, 23, 40][:count]


@pytest.mark.parametrize(("beyond", "seen"), [(80, "2026-11-30"), (9, "2026-11-30")])
def test_what_begins_in_the_window_is_read_to_its_end(beyond: int, seen: str) -> None:
    request_ = {"messages": [system(NOW + "x" * beyond), system("Hi", "user")]}
    [found] = find_volatile(request_, api="openai", prefix_length=7, redact=False)
    assert found.text == seen
