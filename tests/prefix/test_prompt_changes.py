"""Changes of the prompt happen only when asked for, only to what they name, and once."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.prefix import CanonicalJsonError, PromptChanges, canonical_json

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    st.none() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=3),
)
arguments = texts | values | st.builds(json.dumps, values, indent=st.sampled_from([None, 1]))
functions = st.fixed_dictionaries({}, optional={"name": texts, "parameters": values, "strict": st.booleans()})
calls = st.fixed_dictionaries({"function": st.fixed_dictionaries({"arguments": arguments}) | texts})
parts = st.fixed_dictionaries({"type": st.just("text"), "text": texts}, optional={"cache_control": values})
messages = st.fixed_dictionaries(
    {"role": texts},
    optional={
        "content": st.none() | texts | st.lists(parts | texts, max_size=2),
        "tool_calls": st.none() | st.lists(calls, max_size=2),
        "function_call": st.none() | st.fixed_dictionaries({"arguments": arguments}),
        "refusal": st.none() | texts,
    },
)
requests = st.fixed_dictionaries(
    {},
    optional={
        "tools": texts | st.lists(st.fixed_dictionaries({"function": functions | texts}) | texts, max_size=3),
        "functions": st.lists(functions, max_size=3),
        "messages": texts | st.lists(messages | texts, max_size=3),
        "metadata": values,
    },
)
changes = st.builds(PromptChanges, **{switch.name: st.booleans() for switch in fields(PromptChanges)})


@given(requests, changes)
def test_a_changed_request_stays_as_it_is(request_: dict[str, Any], asked: PromptChanges) -> None:
    before = json.dumps(request_)
    once = canonical_json(request_, prompt_changes=asked)
    assert canonical_json(once, prompt_changes=asked) == once
    assert json.dumps(request_) == before
    assert canonical_json(before, prompt_changes=asked) == once


@given(requests)
def test_nothing_changes_unless_asked_for(request_: dict[str, Any]) -> None:
    assert canonical_json(request_, prompt_changes=PromptChanges()) == canonical_json(request_)


def call(value: Any) -> dict[str, Any]:
    return {"messages": [{"tool_calls": [{"function": {"arguments": value}}]}]}


def old_call(value: Any) -> dict[str, Any]:
    return {"messages": [{"function_call": {"arguments": value}}]}


def tool(name: str, **schema: Any) -> dict[str, Any]:
    return {"function": {"name": name, **schema}}


@pytest.mark.parametrize(
    ("asked", "request_", "expected"),
    [
        (PromptChanges(sort_tools=True), {"tools": [tool("b"), tool("a")]}, {"tools": [tool("a"), tool("b")]}),
        (
            PromptChanges(sort_tools=True),
            {"tools": [{"name": "b"}, 1, {"name": "a"}]},
            {"tools": [1, {"name": "a"}, {"name": "b"}]},
        ),
        (
            PromptChanges(sort_tools=True),
            {"functions": [{"name": "b"}, {"name": "a"}]},
            {"functions": [{"name": "a"}, {"name": "b"}]},
        ),
        (
            PromptChanges(sort_schema_keys=True),
            {"tools": [tool("b", parameters={"b": [{"z": 1, "y": 2}], "a": ["d", "c"]}), tool("a")]},
            {"tools": [tool("b", parameters={"a": ["d", "c"], "b": [{"y": 2, "z": 1}]}), tool("a")]},
        ),
        (
            PromptChanges(sort_schema_keys=True),
            {"functions": [{"name": "f", "parameters": {"b": 1, "a": 2}}]},
            {"functions": [{"name": "f", "parameters": {"a": 2, "b": 1}}]},
        ),
        (PromptChanges(compact_arguments=True), call('{ "b": 1, "a": "\\u00e9" }'), call('{"b":1,"a":"é"}')),
        (PromptChanges(compact_arguments=True), old_call('{ "b": 1 }'), old_call('{"b":1}')),
        (PromptChanges(compact_arguments=True), call({"b": 1, "a": 2}), call({"b": 1, "a": 2})),
        (PromptChanges(compact_arguments=True), call('{ "b": '), call('{ "b": ')),
        (PromptChanges(compact_arguments=True), call('[ "\\ud800" ]'), call('[ "\\ud800" ]')),
        (PromptChanges(compact_arguments=True), call(None), call(None)),
        (
            PromptChanges(compact_arguments=True),
            {"messages": [{"tool_calls": [{"function": "{ }"}]}]},
            {"messages": [{"tool_calls": [{"function": "{ }"}]}]},
        ),
        (PromptChanges(sort_argument_keys=True), call('{"b": 1, "a": 2}'), call('{"a":2,"b":1}')),
        (PromptChanges(sort_argument_keys=True), call({"b": 1, "a": 2}), call({"a": 2, "b": 1})),
        (
            PromptChanges(unwrap_single_text=True),
            {
                "messages": [
                    {"content": [{"type": "text", "text": "a"}]},
                    {"content": [{"type": "text", "text": "a", "x": 1}]},
                ]
            },
            {"messages": [{"content": "a"}, {"content": [{"type": "text", "text": "a", "x": 1}]}]},
        ),
        (
            PromptChanges(unwrap_single_text=True),
            {"messages": [{"role": "user"}, {"content": [{"type": "text", "image": 1}]}, {"content": ["a"]}]},
            {"messages": [{"role": "user"}, {"content": [{"type": "text", "image": 1}]}, {"content": ["a"]}]},
        ),
        (
            PromptChanges(drop_null_fields=True),
            {"messages": [{"content": None, "refusal": None, "tool_calls": None, "name": None, "audio": 1}]},
            {"messages": [{"content": None, "audio": 1, "name": None}]},
        ),
    ],
)
def test_each_switch_does_what_it_is_named_for(asked: PromptChanges, request_: Any, expected: Any) -> None:
    assert canonical_json(request_, prompt_changes=asked) == canonical_json(expected)
    assert canonical_json(json.dumps(request_), prompt_changes=asked) == canonical_json(expected)


def test_values_without_a_json_form_are_still_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    ring: dict[str, Any] = {}
    ring["b"] = ring
    for value in ({1: 2, "a": 3}, circle, ring):
        with pytest.raises(CanonicalJsonError):
            canonical_json(call({"a": value}), prompt_changes=PromptChanges(sort_argument_keys=True))


def test_other_values_than_requests_have_nothing_to_change() -> None:
    assert canonical_json([{"b": 1, "a": 2}], prompt_changes=PromptChanges(sort_tools=True)) == b'[{"b":1,"a":2}]'
