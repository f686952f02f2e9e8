"""Prompt caches that missed in public, each as two small requests: what unites them, what keeps them apart, and why.

The numbers are those of our list of such reports. Failures that are none of a request's form (the engine's blocks, a
gateway's own hash) are not here.
"""

from typing import Any, NamedTuple

import pytest

from warmroute.prefix import Affected, CanonicalJsonError, Cause, PromptChanges, canonical_json, explain, find_volatile

SYSTEM = {"role": "system", "content": "You help."}
USER = {"role": "user", "content": "Hi"}


def chat(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "m", **fields, "messages": list(messages)}


def system(text: str, **fields: Any) -> dict[str, Any]:
    return chat({"role": "system", "content": text}, USER, **fields)


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


def tool(name: str, parameters: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters or {"type": "object"}}}


def with_tools(*names: str, **fields: Any) -> dict[str, Any]:
    return chat(SYSTEM, USER, tools=[tool(name) for name in names], **fields)


def with_schema(parameters: Any) -> dict[str, Any]:
    return chat(SYSTEM, USER, tools=[tool("f", parameters)])


def with_call(arguments: str) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}, "id": "c"}
    return chat(SYSTEM, USER, assistant(None, tool_calls=[call]))


class Case(NamedTuple):
    """Two requests that should share their beginning."""

    shows: str
    one: Any
    other: Any
    cause: Cause
    affected: Affected
    united_by: PromptChanges | None = None
    """Changes of the prompt under which they have the same canonical form; None where nothing unites them."""


NOTHING, ROUTING, KV, BOTH = Affected.NOTHING, Affected.ROUTING_KEY, Affected.KV_PREFIX, Affected.BOTH
PLAIN = PromptChanges()

CASES = [
    # The head of the body.
    Case(
        "1 messages grow before the system field",
        {"model": "m", "messages": [USER], "system": "S"},
        {"model": "m", "messages": [USER, assistant("Yes"), USER], "system": "S"},
        Cause.APPENDED,
        ROUTING,
    ),
    Case(
        "2 alphabetical order puts messages before tools",
        {"max_tokens": 1, "messages": [USER], "model": "m", "tools": [tool("f")]},
        {"model": "m", "tools": [tool("f")], "messages": [USER], "max_tokens": 1},
        Cause.FIELD_ORDER,
        ROUTING,
        PLAIN,
    ),
    Case(
        "3 optional fields after messages",
        {"model": "m", "messages": [USER], "tools": [tool("f")]},
        {"model": "m", "tools": [tool("f")], "messages": [USER]},
        Cause.FIELD_ORDER,
        ROUTING,
        PLAIN,
    ),
    Case(
        "4 a generated SDK's order",
        {"model": "m", "max_tokens": 5, "messages": [USER]},
        {"messages": [USER], "model": "m", "max_tokens": 5},
        Cause.FIELD_ORDER,
        ROUTING,
        PLAIN,
    ),
    Case(
        "5 sampling values before the prompt",
        {"parameters": {"temperature": 0.6, "top_p": 0.95}, "inputs": "Hi"},
        {"parameters": {"temperature": 0.7, "top_p": 0.95}, "inputs": "Hi"},
        Cause.SAMPLING_VALUE,
        ROUTING,
    ),
    Case(
        "6 an SDK upgrade reorders the head",
        {"messages": [USER], "model": "m"},
        {"model": "m", "stream": True, "messages": [USER]},
        Cause.FIELD_ORDER,
        ROUTING,
    ),
    Case(
        "6 streaming calls have one field more",
        {"model": "m", "messages": [USER]},
        {"model": "m", "stream": True, "messages": [USER]},
        Cause.SAMPLING_VALUE,
        ROUTING,
    ),
    # Keys of nested objects.
    *(
        Case(
            f"{number} {what}",
            with_call('{"city":"P","unit":"C"}'),
            with_call('{"unit":"C","city":"P"}'),
            Cause.KEY_ORDER,
            BOTH,
            PromptChanges(sort_argument_keys=True),
        )
        for number, what in (
            (7, "arguments in order of insertion"),
            (11, "arguments of a decorator"),
            (12, "streamed arguments"),
        )
    ),
    *(
        Case(
            f"{number} {what}",
            with_schema({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": False}),
            with_schema({"additionalProperties": False, "properties": {"b": {}, "a": {}}, "type": "object"}),
            Cause.KEY_ORDER,
            BOTH,
            PromptChanges(sort_schema_keys=True),
        )
        for number, what in (
            (8, "a schema's keys per serialisation"),
            (9, "a schema's keys per process"),
            (13, "a fingerprint without sorted keys"),
        )
    ),
    Case(
        "10 properties from a hash map",
        with_schema({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}}),
        with_schema({"type": "object", "properties": {"b": {"type": "number"}, "a": {"type": "string"}}}),
        Cause.KEY_ORDER,
        BOTH,
        PromptChanges(sort_schema_keys=True),
    ),
    Case(
        "14 numbers as keys sort otherwise than their texts",
        with_schema({"enum": {"9": 1, "10": 2}}),
        with_schema({"enum": {"10": 2, "9": 1}}),
        Cause.KEY_ORDER,
        BOTH,
        PromptChanges(sort_schema_keys=True),
    ),
    # The list of tools.
    *(
        Case(
            f"{number} {what}",
            with_tools("builtin", "fs", "gh"),
            with_tools("builtin", "gh", "fs"),
            Cause.TOOL_LIST,
            BOTH,
            PromptChanges(sort_tools=True),
        )
        for number, what in (
            (15, "tools shuffled per request"),
            (16, "tools in order of connection"),
            (17, "tools in order of pages"),
            (18, "tools from a query without an order"),
        )
    ),
    Case("19 a tool vanishes for a turn", with_tools("a", "b"), with_tools("a"), Cause.TOOL_LIST, BOTH),
    Case("20 a tool inserted in the middle", with_tools("a", "c"), with_tools("a", "b", "c"), Cause.TOOL_LIST, BOTH),
    Case(
        "21 a date line only in the first turn",
        chat(SYSTEM, user("Current date: 2026-08-28\nHi")),
        chat(SYSTEM, user("Hi")),
        Cause.VOLATILE_TEXT,
        BOTH,
    ),
    Case(
        "22 the last turn forbids tools",
        with_tools("a", tool_choice="auto"),
        with_tools("a", tool_choice="none"),
        Cause.VALUE_CHANGE,
        BOTH,
    ),
    Case("22 the last turn drops tools", with_tools("a"), chat(SYSTEM, USER), Cause.TOOL_LIST, BOTH),
    # Clocks.
    *(
        Case(f"{number} {one.splitlines()[-1]}", system(one), system(other), Cause.VOLATILE_TEXT, BOTH)
        for number, one, other in (
            (
                23,
                "Current date and time: Monday, March 9, 2026 at 06:00:31 PM PDT",
                "Current date and time: Monday, March 9, 2026 at 06:00:58 PM PDT",
            ),
            (
                24,
                "The current date and time is Tuesday, June 16, 2026 2:59 PM.",
                "The current date and time is Tuesday, June 16, 2026 3:00 PM.",
            ),
            (25, "Help.\n2026-06-16T14:59:11.396+02:00", "Help.\n2026-06-16T14:59:12.001+02:00"),
            (26, "It is 2026-06-16 14:59:11.", "It is 2026-06-16 14:59:12."),
            (27, "Timestamp: 2026-07-20 10:11:12 UTC", "Timestamp: 2026-07-20 10:11:13 UTC"),
            (
                28,
                "Conversation started: Sunday, May 17, 2026 03:42 PM",
                "Conversation started: Monday, May 18, 2026 03:42 PM",
            ),
            (
                29,
                "<CURRENT_DATETIME>2026-05-17T15:42:00.123456</CURRENT_DATETIME>",
                "<CURRENT_DATETIME>2026-05-17T15:42:00.923456</CURRENT_DATETIME>",
            ),
            (30, "The time is 15:42. Tools:", "The time is 15:43. Tools:"),
            (31, "Today is 2026-11-29.", "Today is 2026-11-30."),
            (32, "Today's date: November 29, 2026", "Today's date: November 30, 2026"),
        )
    ),
    # Ids and what gateways inject.
    *(
        Case(f"{number} {one}", system(one), system(other), Cause.VOLATILE_TEXT, BOTH)
        for number, one, other in (
            (33, "x-billing: version=2.1; entry=cli; cch=36ee5;", "x-billing: version=2.1; entry=cli; cch=0aaa9;"),
            (
                34,
                "Use /private/tmp/x/8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11/scratchpad",
                "Use /private/tmp/x/0b7d6c1a-5e0e-4d8a-9a51-1d0b5cb0ad11/scratchpad",
            ),
            (
                35,
                'Context: {"message_id": "a47d0231-5e0e-4d8a-9a51-1d0b5cb0ad11"}',
                'Context: {"message_id": "b47d0231-5e0e-4d8a-9a51-1d0b5cb0ad11"}',
            ),
            (36, "- CONVERSATION_ID: conv-81", "- CONVERSATION_ID: conv-82"),
            (36, "- 17 previous messages", "- 19 previous messages"),
            (37, "Session id: s7f3, be kind.", "Session id: s8a1, be kind."),
            (
                38,
                "Request 8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11 at 2026-05-17T15:42:00Z. Be kind.",
                "Request 9e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11 at 2026-05-17T15:42:09Z. Be kind.",
            ),
        )
    ),
    # How texts are put together.
    *(
        Case(
            f"{number} {what}",
            system("Memories:\n- likes tea\n- has a dog\nHelp."),
            system("Memories:\n- has a dog\n- likes tea\nHelp."),
            Cause.TEXT_ORDER,
            BOTH,
        )
        for number, what in ((40, "memories in another order"), (41, "rows in order of similarity"))
    ),
    Case(
        "42 a memory is rewritten",
        system("Memories:\n- likes tea\nHelp."),
        system("Memories:\n- likes coffee\nHelp."),
        Cause.TEXT_CHANGE,
        BOTH,
    ),
    Case(
        "43 file names in the system prompt",
        system("Files:\na.py\nb.py\nHelp."),
        system("Files:\na.py\nb.py\nc.py\nHelp."),
        Cause.TEXT_CHANGE,
        BOTH,
    ),
    Case(
        "44 a block that stays behind the history",
        chat(SYSTEM, USER, {"role": "system", "content": "Facts."}),
        chat(SYSTEM, USER, assistant("Yes"), user("And?"), {"role": "system", "content": "Facts."}),
        Cause.MESSAGE_LIST,
        BOTH,
    ),
    Case(
        "45 the image before the text",
        chat(user([{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": "data:,"}}])),
        chat(user([{"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "text", "text": "What?"}])),
        Cause.CONTENT_FORM,
        BOTH,
    ),
    Case(
        "46 a reminder from the middle hoisted to the top",
        chat(SYSTEM, USER, {"role": "system", "content": "Be brief."}),
        chat({"role": "system", "content": "You help. Be brief."}, USER),
        Cause.TEXT_CHANGE,
        BOTH,
    ),
    Case(
        "47 the user's last sentence in a static block",
        system("Snapshot. The user said: hello"),
        system("Snapshot. The user said: goodbye"),
        Cause.TEXT_CHANGE,
        BOTH,
    ),
    # Messages written again.
    Case(
        "48 parallel results in order of completion",
        chat(
            USER,
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "tool", "tool_call_id": "b", "content": "2"},
        ),
        chat(
            USER,
            {"role": "tool", "tool_call_id": "b", "content": "2"},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
        ),
        Cause.MESSAGE_LIST,
        BOTH,
    ),
    Case(
        "49 arguments replayed without their spaces",
        with_call('{"a": 1}'),
        with_call('{"a":1}'),
        Cause.WHITE_SPACE,
        ROUTING,
        PromptChanges(compact_arguments=True),
    ),
    Case(
        "50 one content is a list of parts",
        chat(user([{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}])),
        chat(user("Hi")),
        Cause.CONTENT_FORM,
        BOTH,
    ),
    Case(
        "50 one content is a list of one plain part",
        chat(user([{"text": "Hi", "type": "text"}])),
        chat(user("Hi")),
        Cause.CONTENT_FORM,
        ROUTING,
        PromptChanges(unwrap_single_text=True),
    ),
    Case(
        "51 thoughts removed from earlier turns",
        chat(USER, assistant("<think>Well</think>Yes"), USER),
        chat(USER, assistant("Yes"), USER),
        Cause.TEXT_CHANGE,
        BOTH,
    ),
    Case(
        "52 trailing spaces trimmed",
        chat(USER, assistant("Yes  "), USER),
        chat(USER, assistant("Yes"), USER),
        Cause.TEXT_WHITE_SPACE,
        BOTH,
    ),
    Case(
        "53 a line break before a call",
        chat(USER, assistant("\n<tool_call>"), USER),
        chat(USER, assistant("<tool_call>"), USER),
        Cause.TEXT_WHITE_SPACE,
        BOTH,
    ),
    Case(
        "54 the echo of a response object",
        chat(USER, {"content": "Yes", "role": "assistant"}),
        chat(USER, {"content": "Yes", "role": "assistant", "refusal": None, "annotations": None, "tool_calls": None}),
        Cause.NULL_FIELD,
        ROUTING,
        PromptChanges(drop_null_fields=True),
    ),
    # Unicode, numbers, escapes.
    Case(
        "55 one message in two renderings",
        b'{"messages":[{"role":"user","content":"\\u5317\\u4eac"}]}',
        '{"messages":[{"role":"user","content":"北京"}]}',
        Cause.ESCAPE_FORM,
        ROUTING,
        PLAIN,
    ),
    *(
        Case(
            f"{number} {what}",
            with_call('{"city":"北京"}'),
            with_call('{"city":"\\u5317\\u4eac"}'),
            Cause.ESCAPE_FORM,
            ROUTING,
            PromptChanges(compact_arguments=True),
        )
        for number, what in ((55, "arguments in two renderings"), (56, "streamed arguments against a dump"))
    ),
    Case(
        "57 escaped text is another text for the template",
        system("北京"),
        system("\\u5317\\u4eac"),
        Cause.TEXT_CHANGE,
        BOTH,
    ),
    Case(
        "58 a temperature in single precision",
        {"temperature": 0.7, "messages": [USER]},
        {"temperature": 0.699999988079071, "messages": [USER]},
        Cause.NUMBER_FORM,
        ROUTING,
    ),
    Case(
        "60 notations of small numbers",
        '{"temperature":1e-7,"messages":[]}',
        '{"temperature":0.0000001,"messages":[]}',
        Cause.NUMBER_FORM,
        ROUTING,
        PLAIN,
    ),
    Case(
        "60 keys beyond the basic plane in two orders",
        with_schema({"\uffff": 1, "\U00010000": 2}),
        with_schema({"\U00010000": 2, "\uffff": 1}),
        Cause.KEY_ORDER,
        BOTH,
        PromptChanges(sort_schema_keys=True),
    ),
    Case(
        "61 whole numbers beyond double precision",
        {"messages": [USER], "seed": 2**64 - 1},
        {"messages": [USER], "seed": 2**64 - 2},
        Cause.SAMPLING_VALUE,
        ROUTING,
    ),
    Case(
        "62 composed and decomposed text",
        system("caf\u00e9"),
        system("cafe\u0301"),
        Cause.UNICODE_FORM,
        BOTH,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.shows)
def test_explain_names_the_cause_and_what_it_affects(case: Case) -> None:
    for one, other in ((case.one, case.other), (case.other, case.one)):
        found = explain(one, other, api="invoke", prefix_length=1_024)
        assert found.cause is case.cause
        assert found.affected is case.affected
        assert found.remedy


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.shows)
def test_canonical_form_unites_what_should_unite_and_nothing_else(case: Case) -> None:
    plain = [canonical_json(request) for request in (case.one, case.other)]
    assert (plain[0] == plain[1]) == (case.united_by is PLAIN)
    if case.united_by:
        united = {canonical_json(request, prompt_changes=case.united_by) for request in (case.one, case.other)}
        assert len(united) == 1


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.cause is Cause.VOLATILE_TEXT], ids=lambda case: case.shows
)
def test_volatile_text_is_found_in_the_request_alone(case: Case) -> None:
    found = find_volatile(chat(case.one["messages"][-1], *case.one["messages"]), api="invoke", prefix_length=1_024)
    assert found or case.shows.startswith("21")


def test_39_an_id_made_anew_for_each_request() -> None:
    ids = ("8e6f1c1e5e0e4d8a9a511d0b5cb0ad11", "9e6f1c1e5e0e4d8a9a511d0b5cb0ad11")
    found = explain(chat(USER), chat(USER), api="openai", prefix_length=1_024, prefix_aware_ids=ids)
    assert (found.cause, found.affected) == (Cause.PREFIX_AWARE_ID, Affected.ROUTING_KEY)


def test_59_nan_is_refused_and_not_sent_as_null() -> None:
    with pytest.raises(CanonicalJsonError, match=r"temperature.*not finite"):
        canonical_json({"temperature": float("nan"), "messages": [USER]})
