"""What probably changes from call to call is found in the window, and nothing is found where it does no harm."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.prefix import CanonicalJsonError, VolatileKind, canonical_json, find_volatile
from warmroute.prefix.volatile_text import volatile_spans

K = VolatileKind
TMP = "/" + "tmp"

EXAMPLES = [
    ("2026-11-30", K.DATE), ("2026/07/20", K.DATE), ("20.7.2026", K.DATE), ("07/20/2026", K.DATE),
    ("November 30, 2026", K.DATE), ("Monday, November 30, 2026", K.DATE), ("30 Nov 2026", K.DATE),
    ("Mon, 30 Nov 2026", K.DATE), ("1st of May 2026", K.DATE), ("Sept. 3rd, 2026", K.DATE),
    ("2026-11-30T12:00:00Z", K.TIME), ("2026-06-16T14:59:11.396+02:00", K.TIME), ("2026-11-30 12:00", K.TIME),
    ("2026-05-17T15:42:00.123456", K.TIME), ("Tue, 15 Nov 2026 08:12:31 GMT", K.TIME),
    ("Monday, March 9, 2026 at 06:00:31 PM PDT", K.TIME), ("Sunday, May 17, 2026 3:42 p.m.", K.TIME),
    ("14:59", K.TIME), ("9:05 AM", K.TIME), ("9:05:11", K.TIME),
    ("8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11", K.UUID), ("8E6F1C1E-5E0E-4D8A-9A51-1D0B5CB0AD11", K.UUID),
    ("8e6f1c1e5e0e4d8a9a511d0b", K.HEX_ID), ("8E6F1C1E5E0E4D8A9A511D0B5CB0AD11", K.HEX_ID), ("ab12" * 16, K.HEX_ID),
    ("01ARZ3NDEKTSV4RRFFQ69G5FAV", K.ID), ("call_a1B2c3D4e5", K.ID), ("req-0a1b2c3d", K.ID),
    ("Request #123", K.COUNTER), ("turn 7 of 20", K.COUNTER), ("17 previous messages", K.COUNTER),
    ("message no. 12", K.COUNTER),
    (f"{TMP}{TMP}abcdefgh/out", K.TEMPORARY_PATH), (f"{TMP}/run-17/out.txt", K.TEMPORARY_PATH),
    ("/private/tmp/x/8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11/pad", K.TEMPORARY_PATH),
    ("/var/folders/x1/ab/T/a", K.TEMPORARY_PATH), ("C:\\Users\\me\\AppData\\Local\\Temp\\tmp12\\a", K.TEMPORARY_PATH),
    ("1764500000", K.EPOCH), ("1764500000123", K.EPOCH), ("1764500000.25", K.EPOCH),
]  # fmt: skip

LABELLED = [
    ("session_id: ", "s7f3", "", K.ID),
    ("CONVERSATION ID = ", "conv-81", "", K.ID),
    ('"user_id": "', "u1234", '"', K.ID),
    ("cch=", "36ee5", "; x", K.HEX_ID),
]

HARMLESS = [
    "", "Be kind.", "Room 1024 holds 17 people for 3.50 each.", "John 3:16", "Use a 16:9 picture.",
    "step 3 of the plan",
    "Python 3.11.7", "version 2026", "in 2026 or 2027", "May 2026 bring luck", "call_back_function", f"{TMP}/output",
    "0" * 32, "abcdef" * 5, "1" * 40, "+15551234567", "phone 5551234567", "tmp", "a temporary tmp name",
    "127.0.0.1:8080", "00:1a:2b:3c:4d:5e", "2026-13-45", "color=ff00ff", "#1 choice", "the id: field", "0.1764500000",
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), EXAMPLES)
@pytest.mark.parametrize("frame", ["{}", "It is {}.", "é😀 <{}>", "now:\n{}\n"])
def test_each_kind_is_found_where_it_is(text: str, kind: VolatileKind, frame: str) -> None:
    whole = frame.format(text)
    found = [(whole[start:end].rstrip(".>"), kind) for start, end, kind in volatile_spans(whole)]
    assert found == [(text.rstrip("."), kind)]


@pytest.mark.parametrize(("before", "text", "after", "kind"), LABELLED)
def test_what_is_called_an_id_is_found_by_its_name(before: str, text: str, after: str, kind: VolatileKind) -> None:
    assert volatile_spans(before + text + after) == [(len(before), len(before + text), kind)]
    assert not volatile_spans(text + after)


@pytest.mark.parametrize("text", HARMLESS)
def test_plain_numbers_and_words_raise_no_alarm(text: str) -> None:
    assert not volatile_spans(text)


@given(
    st.lists(st.sampled_from([text for text, _ in EXAMPLES] + HARMLESS), max_size=8),
    st.sampled_from([" ", "\n", " " * 200]),
)
def test_findings_are_in_order_and_apart(texts: list[str], separator: str) -> None:
    spans = volatile_spans(separator.join(texts))
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(span.start < span.end for span in spans)


def message(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


NOW = "It is 2026-11-30."


@given(st.text(st.sampled_from('a é😀"\\\n/'), max_size=40), st.booleans())
def test_offsets_are_those_of_the_api(before: str, escaped: bool) -> None:
    request_ = {"messages": [message("system", before + " 2026-11-30"), message("user", "Hi")]}
    body = json.dumps(request_, ensure_ascii=escaped).encode()
    [found] = find_volatile(body, api="invoke", prefix_length=1_024)
    assert body[found.offset :].startswith(b"2026-11-30")
    [found] = find_volatile(body, api="openai", prefix_length=1_024)
    assert found.offset == len(before) + 1
    assert (found.path, found.text) == ("messages[0].content", "0000-00-00")


def test_python_values_count_as_canonical_json_sends_them() -> None:
    request_ = {"temperature": 1, "messages": [message("system", NOW), message("user", "Hi")]}
    assert find_volatile(request_, api="invoke", prefix_length=99) == find_volatile(
        canonical_json(request_), api="invoke", prefix_length=99
    )
    assert find_volatile(canonical_json(request_).decode(), api="invoke", prefix_length=99)


@pytest.mark.parametrize("api", ["invoke", "openai"])
@pytest.mark.parametrize(
    ("messages", "paths"),
    [
        ([message("system", NOW), message("user", NOW)], ["messages[0].content"]),
        ([message("user", NOW)], ["messages[0].content"]),
        (
            [message("user", NOW), message("assistant", NOW), message("tool", NOW), message("user", NOW)],
            ["messages[0].content"],
        ),
        (
            [message("user", "Hi"), message("assistant", NOW), message("developer", NOW), message("user", "?")],
            ["messages[2].content"],
        ),
        (
            [message("system", [{"type": "text", "text": "a"}, {"type": "text", "text": NOW}]), message("user", "?")],
            ["messages[0].content[1].text"],
        ),
        ([message("system", None), "odd", message("user", "?")], []),
    ],
)
def test_only_what_is_written_anew_for_each_call_is_asked_about(
    api: Any, messages: list[Any], paths: list[str]
) -> None:
    found = find_volatile({"messages": messages}, api=api, prefix_length=4_096)
    assert [each.path for each in found] == paths


@pytest.mark.parametrize("api", ["invoke", "openai"])
def test_nothing_is_asked_about_text_beyond_the_window(api: Any) -> None:
    request_ = {"messages": [message("system", "a" * 1_100 + NOW), message("system", NOW), message("user", "Hi")]}
    assert not find_volatile(request_, api=api, prefix_length=1_024)
    assert len(find_volatile(request_, api=api, prefix_length=2_048)) == 2


@pytest.mark.parametrize("length", [1, 5, 6])
def test_a_window_may_end_before_what_is_seen_behind_it(length: int) -> None:
    request_ = {"messages": [message("system", "It is 2026-11-30."), message("user", "Hi")]}
    assert not find_volatile(request_, api="openai", prefix_length=length)
    assert not find_volatile(
        request_, api="invoke", prefix_length=len('{"messages":[{"role":"system","content":"') + length
    )


def test_text_that_begins_inside_the_window_is_seen_whole() -> None:
    request_ = {"messages": [message("system", "a" * 1_020 + " 2026-11-30"), message("user", "Hi")]}
    [found] = find_volatile(request_, api="openai", prefix_length=1_024, redact=False)
    assert (found.offset, found.text, found.kind) == (1_021, "2026-11-30", K.DATE)
    assert "midnight" in found.remedy


def test_a_field_before_the_prompt_is_to_be_moved() -> None:
    body = b'{"request_id":"8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11","created":1764500000,"inputs":"Hi"}'
    found = find_volatile(body, api="invoke", prefix_length=1_024)
    assert [(each.path, each.kind) for each in found] == [("request_id", K.UUID), ("created", K.EPOCH)]
    assert "canonical_json" in found[0].remedy
    assert "canonical_json" not in found[1].remedy
    assert not find_volatile({"inputs": "a" * 1_024, "seed": 1764500000}, api="invoke", prefix_length=1_024)


def test_escapes_neither_hide_nor_make_volatile_text() -> None:
    body = rb'{"inputs":"\n2026-11-30\t\/tmp\/x9 C:\\a\\Temp\\x9 \"id\" \u0031234567890","n":1}'
    found = find_volatile(body, api="invoke", prefix_length=1_024, redact=False)
    assert [(each.kind, each.text) for each in found] == [
        (K.DATE, "2026-11-30"),
        (K.TEMPORARY_PATH, "/" + "tmp/x9"),
        (K.TEMPORARY_PATH, r"C:\a\Temp\x9"),
    ]
    assert [body[each.offset :][:3] for each in found] == [b"202", rb"\/t", b"C:\\"]


def test_unusable_requests_are_named() -> None:
    with pytest.raises(CanonicalJsonError):
        find_volatile("{", api="invoke", prefix_length=1_024)
    with pytest.raises(InvalidSettingsError):
        find_volatile({"inputs": "Hi"}, api="openai", prefix_length=1_024)
    with pytest.raises(InvalidSettingsError):
        find_volatile({"inputs": "Hi"}, api="invoke", prefix_length=0)
    with pytest.raises(InvalidSettingsError):
        find_volatile({"inputs": "Hi"}, api="other", prefix_length=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("request_", [["a"], ("a",), 1, 1.5, None, bytearray(b"{}"), {"a"}, object()])
@pytest.mark.parametrize("api", ["invoke", "openai"])
def test_another_kind_of_request_is_named(request_: Any, api: Any) -> None:
    with pytest.raises(InvalidSettingsError, match="JSON text"):
        find_volatile(request_, api=api, prefix_length=1_024)


@pytest.mark.parametrize("path", ["examples", "default", "enum", "const", "pattern"])
def test_values_in_a_tool_s_schema_stay_and_its_description_may_not(path: str) -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string", path: "2026-11-30", "description": NOW}}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    found = find_volatile({"tools": tools, "messages": [message("user", "Hi")]}, api="invoke", prefix_length=1_024)
    assert [each.path for each in found] == ["tools[0].function.parameters.properties.day.description"]


class Work:
    """How many bytes and characters were looked at or copied."""

    def __init__(self) -> None:
        self.done = 0


class CountedText(str):
    """Text that counts what is cut out of it."""

    __slots__ = ("work",)
    work: Work

    def __getitem__(self, index: Any) -> str:
        part = super().__getitem__(index)
        self.work.done += len(part)
        return part


class CountedBytes(bytes):
    """Bytes that count what is searched in them and cut out of them."""

    work: Work

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        if not isinstance(part, bytes):
            return part
        self.work.done += len(part)
        counted = CountedBytes(part)
        counted.work = self.work
        return counted if len(part) > 64 else part  # Short ones are keys and marks.

    def index(self, *arguments: Any) -> int:
        found = super().index(*arguments)
        self.work.done += found - arguments[1]
        return found

    def decode(self, *arguments: Any, **options: Any) -> str:
        text = CountedText(super().decode(*arguments, **options))
        text.work = self.work
        self.work.done += len(text)
        return text


def work_of(body: bytes) -> int:
    counted = CountedBytes(body)
    counted.work = Work()
    find_volatile(counted, api="invoke", prefix_length=len(body))
    return counted.work.done


@pytest.mark.parametrize(
    "unit",
    ["2026-11-30 ", 'say "2026-11-30" ', "\\2026-11-30\n", "é2026-11-30\n😀", '" /2026-11-30 ', "\\\\\\\\"],
)
@pytest.mark.parametrize("writer", [canonical_json, lambda value: json.dumps(value).replace("/", "\\/").encode()])
def test_the_work_grows_as_the_text_does(unit: str, writer: Any) -> None:
    bodies = [
        writer({"messages": [message("system", f'{unit * count}" {NOW}'), message("system", unit * count + NOW)]})
        for count in (300, 2_400)
    ]
    small, large = map(work_of, bodies)
    assert large < 12 * len(bodies[1])
    assert large / len(bodies[1]) < 1.5 * small / len(bodies[0])
