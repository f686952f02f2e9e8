"""Where two requests part is where their bytes do, and what is said about it follows from the requests."""

import json
from itertools import takewhile
from operator import eq
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.prefix import Affected, CanonicalJsonError, Cause, FieldOrder, canonical_json, explain, routing_key
from warmroute.prefix.as_sent import as_sent, as_sent_beside
from warmroute.prefix.common_part import common_beginning, common_end
from warmroute.prefix.json_place import Walker, Within
from warmroute.prefix.json_writer import write
from warmroute.prefix.parting import Document, split

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ['"', "\\", '\\"', "é", "😀", "1"]
)
numbers = st.integers(-20, 20) | st.sampled_from([0.5, 1.0, 1e-7, 1e22, -0.0, 2**70])
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
calls = st.fixed_dictionaries(
    {
        "function": st.fixed_dictionaries(
            {"name": texts, "arguments": texts | st.sampled_from(['{"a":1}', '{"a": 1.0}'])}
        )
    }
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"])},
    optional={
        "content": st.none()
        | texts
        | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}), max_size=2),
        "tool_calls": st.none() | st.lists(calls, max_size=2),
        "refusal": st.none(),
    },
)
requests = st.fixed_dictionaries(
    {},
    optional={
        "model": texts,
        "messages": st.lists(messages, max_size=3),
        "tools": st.lists(st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": texts})}), max_size=2),
        "inputs": texts,
        "temperature": numbers,
        "other": values,
    },
)
spellings = st.sampled_from(
    [
        {},
        {"indent": 1},
        {"ensure_ascii": False},
        {"separators": (",", ":")},
        {"separators": (" ,", ":"), "sort_keys": True},
    ]
)


def shared(one: Any, other: Any) -> Any:
    """The longest common beginning, sign by sign."""
    return one[: sum(1 for _ in takewhile(bool, map(eq, one, other)))]


@given(requests | values, requests | values, spellings, spellings)
@example({"other": 1e-7}, {"other": 1e-7}, {}, {})
def test_requests_part_where_their_bytes_do(one: Any, other: Any, spelling: Any, other_spelling: Any) -> None:
    a, b = json.dumps(one, **spelling).encode(), json.dumps(other, **other_spelling).encode()
    found = explain(a, b, api="invoke", prefix_length=16)
    common = shared(a, b)
    assert (found.as_sent is None) == (a == b) == (found.cause is Cause.IDENTICAL)
    assert (found.canonical is None) == (canonical_json(a) == canonical_json(b))
    assert found.compared_offset == (None if a == b else len(common))
    if found.as_sent:
        assert found.as_sent.byte_offset == len(common)
        assert found.as_sent.character_offset == len(common.decode(errors="ignore"))
        assert found.as_sent.cause is found.cause
    if found.canonical:
        common = shared(canonical_json(a), canonical_json(b))
        assert found.canonical.byte_offset == len(common)
        assert found.canonical.character_offset == len(common.decode(errors="ignore"))
        assert (
            found.canonical.cause not in {Cause.WHITE_SPACE, Cause.FIELD_ORDER} or "arguments" in found.canonical.path
        )
    else:
        assert found.same_kv_prefix
    keys = [routing_key(body, api="invoke", prefix_length=16) for body in (a, b)]
    assert found.same_routing_key == (keys[0] == keys[1])


@given(requests | values, requests | values)
def test_compact_texts_are_explained_as_any_others(one: Any, other: Any) -> None:
    a, b = (Document(write(value), value, is_compact=True) for value in (one, other))
    assert split(a, b) == split(a._replace(is_compact=False), b)


@given(requests, requests, spellings)
def test_the_answer_does_not_depend_on_which_request_comes_first(one: Any, other: Any, spelling: Any) -> None:
    a, b = json.dumps(one, **spelling), json.dumps(other)
    there, back = (explain(*pair, api="invoke", prefix_length=32) for pair in ((a, b), (b, a)))
    assert (there.cause, there.affected, there.compared_offset) == (back.cause, back.affected, back.compared_offset)
    if there.as_sent and back.as_sent:
        assert (there.as_sent.path, there.as_sent.a, there.as_sent.b) == (
            back.as_sent.path,
            back.as_sent.b,
            back.as_sent.a,
        )


@given(values, values)
def test_python_values_count_as_sent_compactly(one: Any, other: Any) -> None:
    a, b = {"other": one}, {"other": other}
    compact = [json.dumps(request, separators=(",", ":"), ensure_ascii=False) for request in (a, b)]
    assert explain(a, b, api="invoke", prefix_length=99) == explain(*compact, api="invoke", prefix_length=99)


LONG = st.integers(0, 40_000)


@given(LONG, LONG, LONG, st.sampled_from(["x", "é", "xé"]))
def test_common_parts_of_long_texts(start: int, middle: int, end: int, sign: str) -> None:
    one = (sign * start)[:start] + "1" * middle + (sign * end)[:end]
    other = (sign * start)[:start] + "2" + (sign * end)[:end]
    expected = start if middle else len(shared(one, other))
    assert common_beginning(one, other) == expected
    assert common_beginning(one.encode(), other.encode()) == len(shared(one.encode(), other.encode()))
    if middle:
        assert common_end(one, other, min(len(one), len(other)) - start) == end


@given(values, spellings)
def test_a_walk_through_the_text_meets_every_member_at_its_path(value: Any, spelling: Any) -> None:
    text = json.dumps(value, **spelling).encode()
    walker = Walker(text)
    for offset in range(len(text) + 1):
        place = walker.to(offset)
        assert place == Walker(text).to(offset)
        assert place.within is not Within.NONE or place.token == offset
        assert place.within is not Within.KEY or place.path == place.container
        member = value
        for part in place.path if place.within in {Within.TEXT, Within.SCALAR} else ():
            member = member[part]
        if place.within is Within.TEXT:
            written = json.dumps(member, **spelling).encode()
            assert text.startswith(written, place.token)
            assert place.token < offset < place.token + len(written)
        elif place.within is Within.SCALAR:
            assert place.token < offset
            assert json.dumps(member).encode().startswith(text[place.token : offset])


@pytest.mark.parametrize("length", [4_095, 4_096, 4_097, 20_000])
@pytest.mark.parametrize("unit", ['\\"', "\\\\", '\\\\\\"', 'x\\"'])
def test_long_texts_full_of_escapes_end_where_they_do(length: int, unit: str) -> None:
    inside = "y" + unit * (length // len(unit))
    text = f'["{inside}",7]'.encode()
    assert Walker(text).to(len(text) - 2).path == (1,)
    assert Walker(text).to(len(inside)).path == (0,)


class Watched(bytes):
    """Counts the bytes that are searched."""

    searched = 0

    def index(self, *given: Any) -> int:
        found = super().index(*given)
        type(self).searched += found - given[1]
        return found


def test_the_end_of_a_text_is_found_in_one_pass() -> None:
    text = Watched(b'"%b"' % (b"x" * 400_000 + rb"\"" + b"\\" * 400_000))
    Walker(text).to(len(text))
    assert Watched.searched <= len(text)


def chat(*contents: Any, **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents], **fields}


def test_what_is_shown_is_only_the_form_unless_asked_for() -> None:
    a, b = chat("My PIN is 1234 é😀!"), chat("My PIN is 1239 é😀!")
    hidden = explain(a, b, api="invoke", prefix_length=1_024).as_sent
    shown = explain(a, b, api="invoke", prefix_length=1_024, redact=False).as_sent
    assert hidden
    assert shown
    assert (hidden.a, shown.a) == ('xxxx":"Xx XXX xx 0000 x?!"}]}', 'tent":"My PIN is 1234 é😀!"}]}')
    assert hidden.b == hidden.a
    assert hidden.path == "messages[0].content"


def test_a_key_that_may_be_prompt_text_stays_out_of_the_path() -> None:
    found = explain({"metadata": {"my secret": 1}}, {"metadata": {"my secret": 2}}, api="invoke", prefix_length=1_024)
    assert found.as_sent
    assert found.as_sent.path == "metadata[…]"


def test_white_space_hides_a_later_difference_that_canonical_form_shows() -> None:
    found = explain(json.dumps(chat("a")), canonical_json(chat("b")), api="invoke", prefix_length=1_024)
    assert found.canonical
    assert (found.cause, found.canonical.cause) == (Cause.WHITE_SPACE, Cause.TEXT_CHANGE)
    assert found.affected is Affected.BOTH


def test_the_openai_api_compares_texts_only() -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    options: dict[str, Any] = {"api": "openai", "prefix_length": 1_024}
    assert explain(chat("a", user="x"), chat("a", user="y"), **options).affected is Affected.NOTHING
    found = explain(chat("a", tools=[tool]), chat("a"), **options)
    assert (found.cause, found.affected, found.compared_offset) == (Cause.TOOL_LIST, Affected.KV_PREFIX, None)
    found = explain(chat("ab", "cd"), chat("ab", "cx"), **options)
    assert (found.affected, found.compared_offset) == (Affected.BOTH, 3)


def test_a_difference_beyond_the_window_does_not_touch_the_routing_key() -> None:
    found = explain(chat("a" * 2_000 + "b"), chat("a" * 2_000 + "c"), api="invoke", prefix_length=1_024)
    assert found.affected is Affected.KV_PREFIX


def test_text_that_continues_a_prompt_leaves_its_beginning_alone() -> None:
    found = explain({"prompt": "Once"}, {"prompt": "Once upon"}, api="invoke", prefix_length=1_024)
    assert (found.cause, found.affected) == (Cause.APPENDED, Affected.ROUTING_KEY)
    found = explain({"prompt": "Once"}, chat("Once"), api="invoke", prefix_length=1_024)
    assert found.affected is Affected.BOTH


def arguments(value: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": "f", "arguments": value}}
    return {"messages": [{"role": "assistant", "tool_calls": [call]}]}


@pytest.mark.parametrize(
    ("one", "other", "cause"),
    [
        ('{"a":1}', '{"a":1.0}', Cause.NUMBER_FORM),
        ('{"a":1.0}', '{"a":1.00}', Cause.NUMBER_FORM),
        ('{"a":1}', '{"a":2}', Cause.TEXT_CHANGE),
        ('{"a":', '{"a":1}', Cause.TEXT_CHANGE),
        ("{}", {}, Cause.TEXT_CHANGE),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, Cause.KEY_ORDER),
    ],
)
def test_arguments_are_compared_as_json(one: Any, other: Any, cause: Cause) -> None:
    assert explain(arguments(one), arguments(other), api="invoke", prefix_length=1_024).cause is cause


@pytest.mark.parametrize(
    ("one", "other", "cause", "path"),
    [
        ({"model": "a"}, {"model": "b"}, Cause.VALUE_CHANGE, "model"),
        ({"temperature": 1e300, "n": 1}, {"temperature": 1e301, "n": 1}, Cause.SAMPLING_VALUE, "temperature"),
        ({"metadata": {"a": 1, "b": 2}}, {"metadata": {"b": 2, "a": 1}}, Cause.KEY_ORDER, "metadata"),
        ({"tools": [{"name": "f", "x": "a"}]}, {"tools": [{"name": "f", "x": "b"}]}, Cause.TEXT_CHANGE, "tools[0].x"),
        ({"system": "a"}, {"system": ["a"]}, Cause.TEXT_CHANGE, "system"),
        ({"input": ["a"]}, {"input": ["b"]}, Cause.TEXT_CHANGE, "input[0]"),
        ({"messages": []}, {"messages": {}}, Cause.VALUE_CHANGE, "messages"),
        ({"messages": {"a": "x"}}, {"messages": {"a": "y"}}, Cause.VALUE_CHANGE, "messages.a"),
        ({"messages": [1]}, {"messages": [2]}, Cause.TEXT_CHANGE, "messages[0]"),
        (chat("a"), {"messages": [{"role": "system", "content": "b"}]}, Cause.MESSAGE_LIST, "messages[0].role"),
        (chat([{"type": "text", "text": "a"}]), chat([{"type": "text", "text": "b"}]), Cause.TEXT_CHANGE,
         "messages[0].content[0].text"),
        (chat("a\nb c" * 9_000), chat("z\nb c" * 9_000), Cause.TEXT_CHANGE, "messages[0].content"),
        ('{"model":"\\u006d"}', '{"model":"\\u006e"}', Cause.VALUE_CHANGE, "model"),
        ('{"model":"\\u00e9"}', '{"model":"ê"}', Cause.VALUE_CHANGE, "model"),
        ('{"\\u006d":1}', '{"m":1}', Cause.ESCAPE_FORM, ""),
    ],
)  # fmt: skip
def test_the_cause_follows_from_the_place(one: Any, other: Any, cause: Cause, path: str) -> None:
    found = explain(one, other, api="invoke", prefix_length=1_024)
    assert found.as_sent
    assert (found.cause, found.as_sent.path) == (cause, path)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize(
    ("one", "other", "path", "cause"),
    [
        ({"k": [1, 2]}, {"k": [1]}, "k[1]", Cause.VALUE_CHANGE),
        ({"k": [1, 2, 3]}, {"k": [1, 2]}, "k[2]", Cause.VALUE_CHANGE),
        ({"k": [[1], 2]}, {"k": [[1]]}, "k[1]", Cause.VALUE_CHANGE),
        ({"a": 1.5, "k": 1}, {"a": 1.5, "k": 2}, "k", Cause.VALUE_CHANGE),
        ({"a": 2**70, "k": 1}, {"a": 2**70, "k": 2}, "k", Cause.VALUE_CHANGE),
        ({"a": [0.5, "b"], "k": 1}, {"a": [0.5, "c"], "k": 1}, "a[1]", Cause.VALUE_CHANGE),
    ],
)  # fmt: skip
def test_what_is_the_same_is_no_difference(
    separators: tuple[str, str], one: Any, other: Any, path: str, cause: Cause
) -> None:
    for pair in ((one, other), (other, one)):
        texts_ = [json.dumps(each, separators=separators) for each in pair]
        found = explain(*texts_, api="invoke", prefix_length=1_024)
        assert found.as_sent
        assert (found.as_sent.path, found.cause) == (path, cause)


def test_canonical_form_is_that_of_the_order_given() -> None:
    order = FieldOrder(tools="after_messages")
    one, other = (chat("a", tools=[{"type": "function", "function": {"name": name}}]) for name in "fg")
    texts_ = [canonical_json(request, order=order) for request in (one, other)]
    for pair in ((one, other), texts_, [json.dumps(request) for request in (one, other)]):
        found = explain(*pair, api="invoke", prefix_length=1_024, order=order).canonical
        assert found
        assert (found.byte_offset, found.path) == (len(shared(*texts_)), "tools[0].function.name")
    assert as_sent(texts_[0], order).is_canonical
    assert not as_sent(texts_[0], FieldOrder()).is_canonical


def test_a_difference_at_the_beginning_is_shown_from_there() -> None:
    found = explain({"k": "x"}, {"k": "y"}, api="invoke", prefix_length=9, redact=False).as_sent
    assert found
    assert (found.a, found.b) == ('{"k":"x"}', '{"k":"y"}')


def test_other_json_than_requests_is_explained_too() -> None:
    found = explain('["a", 1, "b"]', '["a", 1.0, "b"]', api="invoke", prefix_length=1_024)
    assert found.canonical
    assert (found.canonical.path, found.canonical.cause) == ("[1]", Cause.NUMBER_FORM)
    found = explain("[1]", "[1.0]", api="invoke", prefix_length=1_024)
    assert (found.cause, found.affected) == (Cause.NUMBER_FORM, Affected.BOTH)
    for one, other in (('{"a": 1}', "[1]"), ('"a" ', '"b"'), ("[ ]", "[1]"), ("[1, 2]", "[1]")):
        found = explain(one, other, api="invoke", prefix_length=1_024)
        assert found.canonical
        assert found.canonical.cause is Cause.VALUE_CHANGE
    found = explain('"a"', '"\\u0061"', api="invoke", prefix_length=1_024)
    assert (found.cause, found.affected) == (Cause.ESCAPE_FORM, Affected.ROUTING_KEY)


@pytest.mark.parametrize(
    ("one", "other", "cause"),
    [
        ('{"prompt": "\\n\\u00e9"}', '{"prompt": "\\né"}', Cause.ESCAPE_FORM),
        ('{"prompt": "\\\\n"}', '{"prompt": "\\\\\\n"}', Cause.TEXT_CHANGE),
        ('{"prompt": "x\\u00e9"}', '{"prompt": "x\\u00E9"}', Cause.ESCAPE_FORM),
        ('{"prompt": "x\\u00e9"}', '{"prompt": "x\\u00ea"}', Cause.TEXT_CHANGE),
        ('{"prompt": "xé"}', '{"prompt": "xê"}', Cause.TEXT_CHANGE),
        ('{"prompt": "x\\ud83d\\ude00"}', '{"prompt": "x😀"}', Cause.ESCAPE_FORM),
        ('{"prompt": "x\\/y"}', '{"prompt": "x/y"}', Cause.ESCAPE_FORM),
        ('{"prompt": "x\\ty"}', '{"prompt": "x\\u0009y"}', Cause.ESCAPE_FORM),
        ('{"prompt": "x\\u0009y"}', '{"prompt": "x\\u0008y"}', Cause.TEXT_CHANGE),
        (r'{"prompt": "\\/"}', r'{"prompt": "\\\/"}', Cause.ESCAPE_FORM),
        (r'{"prompt": "\\\n"}', r'{"prompt": "\\\u000a"}', Cause.ESCAPE_FORM),
        (r'{"prompt": "xa\n"}', r'{"prompt": "x\u0061\n"}', Cause.ESCAPE_FORM),
        (r'{"prompt": "x"}', r'{"prompt": "x\n"}', Cause.APPENDED),
        (r'{"prompt": "x\n"}', r'{"prompt": "x"}', Cause.APPENDED),
        (r'{"prompt": "xé"}', r'{"prompt": "x\u00e9"}', Cause.ESCAPE_FORM),
    ],
)
def test_an_escape_is_a_form_only_if_the_character_is_the_same(one: str, other: str, cause: Cause) -> None:
    assert explain(one, other, api="invoke", prefix_length=1_024).cause is cause


@pytest.mark.parametrize(
    ("one", "other", "affected"),
    [
        ({"adapter_id": "a"}, {"adapter_id": "b"}, Affected.BOTH),
        ({"truncate": 100}, {"truncate": 200}, Affected.BOTH),
        ({"temperature": 1, "adapter_id": "a"}, {"temperature": 0.5, "adapter_id": "b"}, Affected.BOTH),
        ({}, {"adapter_id": "b"}, Affected.BOTH),
        ({}, {"adapter_id": None}, Affected.ROUTING_KEY),
        ({"temperature": 1, "adapter_id": "a"}, {"temperature": 0.5, "adapter_id": "a"}, Affected.ROUTING_KEY),
        ({"truncate": 9, "adapter_id": "a"}, {"adapter_id": "a", "truncate": 9}, Affected.ROUTING_KEY),
        ({"temperature": 1, "max_new_tokens": 9}, {"do_sample": True}, Affected.ROUTING_KEY),
        ({"unheard_of": 1}, {"unheard_of": 2}, Affected.BOTH),
    ],
)
def test_an_adapter_and_a_cut_are_part_of_a_native_prompt(one: Any, other: Any, affected: Affected) -> None:
    found = explain(
        *({"inputs": "Hi", "parameters": parameters} for parameters in (one, other)), api="invoke", prefix_length=1_024
    )
    assert found.affected is affected


@given(requests, requests)
def test_tuples_count_as_the_lists_that_they_are_sent_as(one: Any, other: Any) -> None:
    expected = explain(one, other, api="invoke", prefix_length=64)
    assert explain(as_tuples(one), as_tuples(other), api="invoke", prefix_length=64) == expected
    assert explain(as_tuples(one), other, api="invoke", prefix_length=64) == expected


def as_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: as_tuples(member) for name, member in value.items()}
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def text_places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, str):
        return [path]
    members = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    return [place for name, member in members for place in text_places(member, (*path, name))]


def with_text(value: Any, path: tuple[Any, ...], text: str) -> Any:
    copy = json.loads(json.dumps(value))
    holder = copy
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = text
    return copy


LONG_TEXT = "x" * 160 * 60
"""Long enough that texts which share it are told apart without reading them all."""


def test_only_what_differs_of_a_request_beside_another_is_read() -> None:
    text = canonical_json({"other": {f"k{n}": n for n in range(50)}})
    neighbour = as_sent(text, FieldOrder())
    assert as_sent_beside(text, neighbour, FieldOrder())[0] is neighbour
    other, place = as_sent_beside(
        canonical_json(chat("a", LONG_TEXT + "1")),
        as_sent(canonical_json(chat("a", LONG_TEXT + "2")), FieldOrder()),
        FieldOrder(),
    )
    assert place
    assert place.path == ("messages", 1, "content")
    assert other.is_canonical


@given(requests, texts, texts, spellings, st.booleans(), st.data())
def test_what_differs_in_one_text_is_read_as_any_other(
    request_: Any, one: str, other: str, spelling: Any, is_canonical: bool, data: st.DataObject
) -> None:
    assume(places := text_places(request_))
    place = data.draw(st.sampled_from(places))
    values_ = [with_text(request_, place, LONG_TEXT + text) for text in (one, other)]
    a, b = (canonical_json(value) if is_canonical else json.dumps(value, **spelling).encode() for value in values_)
    neighbour, expected = as_sent(a, FieldOrder()), as_sent(b, FieldOrder())
    found, where = as_sent_beside(b, neighbour, FieldOrder())
    assert where is None or one != other
    assert write(found.value) == write(expected.value)
    assert found.text == expected.text
    assert expected.is_compact or not found.is_compact
    assert expected.is_canonical or not found.is_canonical
    assert split(neighbour, found, where) == split(neighbour, expected)
    assert write(neighbour.value) == write(as_sent(a, FieldOrder()).value)


@given(requests, texts, st.sampled_from(["", '"', "\\", "\x01", "\\ud800", "\ud800", "\\x", '",', '"}']), st.data())
def test_a_fault_in_the_one_text_that_differs_is_found(
    request_: Any, text: str, fault: str, data: st.DataObject
) -> None:
    assume(places := text_places(request_))
    place = data.draw(st.sampled_from(places))
    a = json.dumps(with_text(request_, place, LONG_TEXT + "§"), ensure_ascii=False)
    b = a.replace("§", json.dumps(text)[1:-1] + fault)
    try:
        expected: Any = write(as_sent(b, FieldOrder()).value)
    except CanonicalJsonError as error:
        expected = str(error)
    try:
        found: Any = write(as_sent_beside(b, as_sent(a, FieldOrder()), FieldOrder())[0].value)
    except CanonicalJsonError as error:
        found = str(error)
    assert found == expected


def test_another_adapter_is_no_sampling_value() -> None:
    requests_ = ({"inputs": "Hi", "parameters": {"adapter_id": id_}} for id_ in "ab")
    assert explain(*requests_, api="invoke", prefix_length=1_024).cause is Cause.VALUE_CHANGE


def test_unusable_requests_are_named() -> None:
    with pytest.raises(CanonicalJsonError):
        explain("{", "{}", api="invoke", prefix_length=1_024)
    with pytest.raises(InvalidSettingsError):
        explain({}, {"a": 1}, api="openai", prefix_length=1_024)
    with pytest.raises(InvalidSettingsError):
        explain({}, {"a": 1}, api="invoke", prefix_length=0)
    with pytest.raises(InvalidSettingsError):
        explain({}, {}, api="invoke", prefix_length=1, prefix_aware_ids=("a",))  # type: ignore[arg-type]
    with pytest.raises(InvalidSettingsError):
        explain({}, {}, api="invoke", prefix_length=1, order="before_messages")  # type: ignore[arg-type]


@given(requests)
def test_a_request_equals_itself(request_: dict[str, Any]) -> None:
    assume(request_)
    found = explain(request_, dict(request_), api="invoke", prefix_length=1_024)
    assert (found.cause, found.affected, found.as_sent, found.canonical) == (
        Cause.IDENTICAL,
        Affected.NOTHING,
        None,
        None,
    )
