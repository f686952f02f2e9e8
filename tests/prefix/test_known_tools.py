"""Tools that come again are written from memory, and never as other tools than those that came."""

import copy
import json
import math
import threading
from collections.abc import Iterator
from enum import Enum
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.prefix import CanonicalJsonError, FieldOrder, canonical_json, known_tools

MESSAGES: list[Any] = [{"role": "user", "content": "Hi"}]
TOOL: dict[str, Any] = {
    "function": {"parameters": {"b": 1, "a": [{"default": None}]}, "name": "search"},
    "type": "function",
}

scalars = st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, False, None, "1", "", 1e16, 10**16, 1e-7, 10**30, "\ud800"])
members = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner), max_leaves=6
)
functions = st.fixed_dictionaries({}, optional={"name": members, "parameters": members, "description": scalars})
tools = st.lists(st.fixed_dictionaries({}, optional={"type": scalars, "function": functions | members}), max_size=2)
lists = st.lists(tools | members, min_size=1, max_size=3).flatmap(
    lambda few: st.lists(st.sampled_from(few), min_size=4, max_size=12)
)


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    known_tools._KNOWN.clear()
    yield
    known_tools._KNOWN.clear()


def chat(given_tools: Any, name: str = "tools") -> dict[str, Any]:
    return {"messages": MESSAGES, name: given_tools}


def written(request: Any) -> bytes | str:
    try:
        return canonical_json(request)
    except CanonicalJsonError as error:
        return str(error)


@given(lists, st.sampled_from(["tools", "functions"]))
def test_tools_that_come_again_are_written_as_the_first_time(sequence: list[Any], name: str) -> None:
    for given_tools in sequence:
        request = chat(copy.deepcopy(given_tools), name)
        assert written(request) == written(MappingProxyType(request))  # A mapping of another type takes the slow way.


@given(tools, st.data())
def test_a_change_in_place_is_seen(given_tools: list[Any], data: st.DataObject) -> None:
    for _ in range(3):
        written(chat(given_tools))
    changed = data.draw(st.sampled_from([*given_tools, given_tools]))
    if isinstance(changed, dict):
        changed[data.draw(st.sampled_from(["type", "function", "x"]))] = data.draw(members)
    else:
        changed.append(data.draw(members))
    assert written(chat(given_tools)) == written(MappingProxyType(chat(given_tools)))


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("plain", "not_json"),
    [
        (None, math.nan), (None, math.inf), ("red", Colour.RED),
        ("12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
    ],
)  # fmt: skip
def test_what_only_looks_like_known_tools_is_refused(plain: object, not_json: object) -> None:
    for _ in range(3):
        assert canonical_json(chat([{"function": {"name": plain}}]))
    with pytest.raises(CanonicalJsonError, match=r"tools\[0\]\.function\.name"):
        canonical_json(chat([{"function": {"name": not_json}}]))


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0.0, -0.0), (1e16, 10**16)])
def test_equal_numbers_are_written_apart(one: object, other: object) -> None:
    for _ in range(2):
        for number in (one, one, other, other):
            body = canonical_json(chat([{"function": {"parameters": number}}]))
            assert json.dumps(json.loads(body)["tools"][0]["function"]["parameters"]) == json.dumps(number)


def test_known_tools_are_written_from_memory() -> None:
    first, second, third = (known_tools.written_tools("tools", [copy.deepcopy(TOOL)], FieldOrder()) for _ in range(3))
    assert first is not second
    assert second is third
    assert known_tools.written_tools("functions", [TOOL], FieldOrder()) is not third


@pytest.mark.parametrize("container", [list, tuple])
def test_a_change_deep_inside_of_known_tools_is_seen(container: Any) -> None:
    default: list[Any] = [None]
    request = chat(container([{"function": {"name": "f", "parameters": container([default])}}]))
    for _ in range(3):
        assert canonical_json(request)
    default[0] = math.nan  # Written as null, too, where nobody looks.
    with pytest.raises(CanonicalJsonError, match="not finite"):
        canonical_json(request)


def test_the_order_of_parameters_is_that_of_the_call() -> None:
    other = copy.deepcopy(TOOL)
    other["function"]["parameters"] = dict(reversed(TOOL["function"]["parameters"].items()))
    for tool in (TOOL, TOOL, TOOL, other, other, other, TOOL):
        parameters = json.loads(canonical_json(chat([tool])))["tools"][0]["function"]["parameters"]
        assert list(parameters) == list(tool["function"]["parameters"])


def test_few_lists_and_no_huge_one_are_kept() -> None:
    for number in range(50):
        for _ in range(3):
            canonical_json(chat([{"function": {"name": "x" * number}}]))
            canonical_json(chat([{"function": {"name": "x" * 300_000}}]))
    assert 0 < len(known_tools._KNOWN) <= 8
    assert all(len(known.text) < 300_000 for known in known_tools._KNOWN.values())


def test_threads_with_other_tools_get_their_own() -> None:
    wrong: list[bytes] = []

    def send(name: str) -> None:
        request = chat([{**TOOL, "name": name}])
        expected = canonical_json(MappingProxyType(request))
        wrong.extend(body for _ in range(200) if (body := canonical_json(request)) != expected)

    threads = [threading.Thread(target=send, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
