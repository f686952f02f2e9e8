"""A chat that demands the call of a tool gets one, with arguments that the tool takes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from warmroute.local.engines.completion import Completion, read_chat_completion
from warmroute.local.engines.container import ContainerRefusal
from warmroute.local.engines.made_up_json import made_up
from warmroute.local.engines.wording import Usage, Wording

HELLO = [{"role": "user", "content": "Is there a flight to Lisbon on Friday?"}]
SEARCH = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "enum": ["LIS", "OPO"]},
        "passengers": {"type": "integer", "minimum": 1},
        "note": {"type": "string"},
    },
    "required": ["to", "passengers"],
}
TOOLS = [
    {"type": "function", "function": {"name": "search", "parameters": SEARCH}},
    {"type": "function", "function": {"name": "hang_up"}},
]
NAMED = {"type": "function", "function": {"name": "hang_up"}}


def read(**values: Any) -> Completion:
    return read_chat_completion(json.dumps({"messages": HELLO, **values}).encode())


def answer(**values: Any) -> Any:
    completion = read(**values)
    wording = Wording(completion, "id", "llama")
    whole = wording.whole(Usage(9, completion.output_tokens, None))
    return ChatCompletion.model_validate_json(whole, strict=True).choices[0]


def test_a_required_call_is_of_the_first_tool_with_arguments_that_it_takes() -> None:
    choice = answer(tools=TOOLS, tool_choice="required")
    (call,) = choice.message.tool_calls
    assert (call.type, call.function.name) == ("function", "search")
    assert json.loads(call.function.arguments) == {"to": "LIS", "passengers": 1}
    assert (choice.message.content, choice.finish_reason) == (None, "tool_calls")


def test_a_named_tool_is_called_without_arguments_where_it_takes_none() -> None:
    choice = answer(tools=TOOLS, tool_choice=NAMED)
    (call,) = choice.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("hang_up", "{}")
    assert choice.finish_reason == "stop"


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        None,
        {"additionalProperties": False},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {}}},
        {"allOf": []},
    ],
)
def test_arguments_are_an_object_also_where_the_schema_does_not_say_so(parameters: Any) -> None:
    choice = answer(tools=[{"function": {"name": "fly", "parameters": parameters}}], tool_choice="required")
    assert choice.message.tool_calls[0].function.arguments == "{}"


@pytest.mark.parametrize("least", [2**63, 2**64, 1e308, -1e308])
def test_bounds_beyond_eight_bytes_are_kept(least: float) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": least, "maximum": least}}}
    tools = [{"function": {"name": "fly", "parameters": {**schema, "required": ["n"]}}}]
    (call,) = answer(tools=tools, tool_choice="required").message.tool_calls
    assert json.loads(call.function.arguments) == {"n": least}


@pytest.mark.parametrize("choice", [{}, {"tool_choice": "auto"}, {"tool_choice": "none"}, {"tool_choice": None}])
def test_nobody_decides_to_call_a_tool_that_is_not_demanded(choice: dict[str, Any]) -> None:
    said = answer(tools=TOOLS, **choice)
    assert said.message.tool_calls is None
    assert said.message.content
    assert said.finish_reason == "stop"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"tool_choice": "auto"}, "`tools` must be set"),
        ({"tool_choice": "required"}, "`tools` must be set"),
        ({"tool_choice": "required", "tools": []}, "`tools` must be set"),
        ({"tool_choice": "required", "tools": 5}, "tools must be a list"),
        ({"tool_choice": "required", "tools": [{"type": "function"}]}, r"tools\[0\] must be a function with a name"),
        ({"tool_choice": NAMED, "tools": [*TOOLS, "fly"]}, r"tools\[2\] must be a function with a name"),
        ({"tool_choice": NAMED, "tools": [{"function": {"name": 5}}]}, r"tools\[0\] must be a function with a name"),
        *(
            ({"tool_choice": NAMED, "tools": [{"function": {"name": "fly", "parameters": schema}}]}, "a JSON schema")
            for schema in ([], 5, "text", True, False)
        ),
        ({"tool_choice": "sometimes", "tools": TOOLS}, "tool_choice must be"),
        ({"tool_choice": [], "tools": TOOLS}, "tool_choice must be"),
        ({"tool_choice": {"function": {"name": "fly"}}, "tools": TOOLS}, "does not match any"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_as_vllm_does(values: dict[str, Any], says: str) -> None:
    with pytest.raises(ContainerRefusal, match=says) as refusal:
        read(**values)
    assert refusal.value.status == 400


@given(limit=st.none() | st.integers(1, 40), step=st.integers(1, 5))
def test_a_streamed_call_is_the_whole_one_in_parts_as_far_as_the_limit_reaches(limit: int | None, step: int) -> None:
    values = {"tools": TOOLS, "tool_choice": "required", **({"max_tokens": limit} if limit else {})}
    completion = read(**values, stream=True)
    tokens, wording = completion.output_tokens, Wording(completion, "id", "llama")
    chunks = [wording.chunk(at, min(step, tokens - at), last=at + step >= tokens) for at in range(0, tokens, step)]
    parts = [
        ChatCompletionChunk.model_validate_json(line.removeprefix("data: "), strict=True).choices[0]
        for line in b"".join(chunks).decode().strip().split("\n\n")
    ]
    calls = [part.delta.tool_calls[0] for part in parts]
    (whole,) = answer(**values).message.tool_calls
    assert "".join(call.function.arguments for call in calls) == whole.function.arguments
    assert [call.id for call in calls] == [whole.id, *[None] * (len(calls) - 1)]
    assert [call.function.name for call in calls] == ["search", *[None] * (len(calls) - 1)]
    ends = "tool_calls" if json_ends(whole.function.arguments) else "length"
    assert [part.finish_reason for part in parts] == [*[None] * (len(parts) - 1), ends]


def json_ends(text: str) -> bool:
    try:
        return json.loads(text) is not None
    except json.JSONDecodeError:
        return False


bounds = st.integers(-50, 50)
leaves = st.one_of(
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.builds(lambda least: {"type": "string", "minLength": least}, st.integers(0, 9)),
    st.lists(st.integers() | st.text(max_size=3), min_size=1, max_size=3).map(lambda values: {"enum": values}),
    st.builds(lambda value: {"const": value}, st.integers() | st.text(max_size=3)),
    st.builds(
        lambda kind, low, more, above, below: {
            "type": kind,
            "exclusiveMinimum" if above else "minimum": low,
            "exclusiveMaximum" if below else "maximum": low + 2 + more,
        },
        st.sampled_from(["integer", "number"]),
        bounds,
        st.integers(0, 20),
        st.booleans(),
        st.booleans(),
    ),
)


def with_parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.dictionaries(st.text(max_size=4), inner, max_size=4).flatmap(
        lambda properties: st.builds(
            lambda required: {"type": "object", "properties": properties, "required": required},
            st.lists(st.sampled_from(sorted(properties)), unique=True) if properties else st.just([]),
        )
    )
    arrays = st.builds(
        lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 3)
    )
    choices = st.builds(
        lambda name, schemas: {name: schemas},
        st.sampled_from(["anyOf", "allOf"]),
        st.lists(inner, min_size=1, max_size=1),
    )
    return st.one_of(objects, arrays, choices)


@given(schema=st.recursive(leaves, with_parts, max_leaves=8), referred=st.booleans())
def test_made_up_arguments_are_what_the_schema_allows(schema: dict[str, Any], referred: bool) -> None:
    whole = {"$ref": "#/$defs/a~1b", "$defs": {"a/b": schema}} if referred else schema
    jsonschema.validate(made_up(whole), whole)


@pytest.mark.parametrize("name", ["anyOf", "oneOf"])
def test_a_list_that_may_end_ends_at_once(name: str) -> None:
    def links(reference: str) -> dict[str, Any]:
        ends = {name: [{"$ref": reference}, {"type": "null"}]}
        return {"type": "object", "properties": {"next": ends}, "required": ["next"]}

    for schema in (links("#"), {"$ref": "#/$defs/node", "$defs": {"node": links("#/$defs/node")}}):
        assert made_up(schema) == {"next": None}
        jsonschema.validate(made_up(schema), schema)


def test_a_schema_that_goes_round_in_a_circle_has_an_end() -> None:
    circle = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    value = made_up(circle)
    for _ in range(10):
        value = value["next"]
    assert made_up({"$ref": "#"}) == "text"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}, "required": ["a", "b"]},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}], "required": ["a"]},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 50},
        {"type": "array", "minItems": 10**9},
        {"type": "array", "items": {"type": "string", "minLength": 10**9}, "minItems": 3},
    ],
)
def test_what_a_schema_demands_without_measure_is_not_made(schema: Any) -> None:
    assert len(json.dumps(made_up(schema))) < 20_000


@pytest.mark.parametrize("schema", [None, 5, [], {"type": 5}, {"type": []}, {"$ref": "#/nowhere"}, {"required": 1}, {}])
def test_what_is_no_schema_gives_some_value(schema: Any) -> None:
    json.dumps(made_up(schema))
