"""Why two requests that should begin alike do not."""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """Why two requests part."""

    IDENTICAL = "identical"
    """They do not part."""

    APPENDED = "appended"
    """One continues the other: more messages, or more text at its end. Its beginning can be reused."""

    PREFIX_AWARE_ID = "prefix_aware_id"
    """Only their PrefixAwareId or ``prompt_cache_key`` differs."""

    WHITE_SPACE = "white_space"
    """White space between JSON tokens."""

    ESCAPE_FORM = "escape_form"
    """The same text, escaped in another way."""

    NUMBER_FORM = "number_form"
    """The same number in another notation, type or precision: 1 and 1.0, 0.7 and 0.699999988079071."""

    FIELD_ORDER = "field_order"
    """The order of fields that no chat template shows: of a request, a message, a tool around its ``parameters``."""

    KEY_ORDER = "key_order"
    """The order of keys elsewhere; in ``parameters`` and ``arguments`` the model sees it."""

    SAMPLING_VALUE = "sampling_value"
    """A field that steers sampling or transport and never enters the prompt: temperature, stream, user, seed, …"""

    TOOL_LIST = "tool_list"
    """A tool came, went, moved or changed."""

    MESSAGE_LIST = "message_list"
    """A message came, went or moved among the others."""

    CONTENT_FORM = "content_form"
    """The content of a message is a text here and a list of parts there, or its parts are in another order."""

    NULL_FIELD = "null_field"
    """A field that is null here and absent there, as in the echo of a response object."""

    UNICODE_FORM = "unicode_form"
    """Text that looks the same in another Unicode normal form; tokens differ."""

    VOLATILE_TEXT = "volatile_text"
    """A date, a time, an id, a counter or a temporary path inside the text."""

    TEXT_WHITE_SPACE = "text_white_space"
    """White space inside a text, such as trimmed ends."""

    TEXT_ORDER = "text_order"
    """The same lines of text in another order."""

    TEXT_CHANGE = "text_change"
    """Another text."""

    VALUE_CHANGE = "value_change"
    """Another value of any other field: the model or adapter, ``cache_salt``, ``tool_choice``, template settings."""

    @property
    def remedy(self) -> str:
        """What to do about it, as a sentence."""
        return _REMEDIES[self]


_REMEDIES = {
    Cause.IDENTICAL: "Nothing to do.",
    Cause.APPENDED: (
        "Nothing to do once the beginning fills prefix_length; until then each turn has a new key, "
        "which a shorter prefix_length or more text before the messages prevents."
    ),
    Cause.PREFIX_AWARE_ID: "Derive the id from what stays the same: the tenant or the application, not the call.",
    Cause.WHITE_SPACE: "Send canonical_json(request).",
    Cause.ESCAPE_FORM: "Send canonical_json(request).",
    Cause.NUMBER_FORM: (
        "Send canonical_json(request), and use one type for the number: a float or a whole number, in double precision."
    ),
    Cause.FIELD_ORDER: "Send canonical_json(request).",
    Cause.KEY_ORDER: (
        "Write the keys in one order where they are made; in a tool's parameters, "
        "PromptChanges(sort_schema_keys=True) does so, which the model sees."
    ),
    Cause.SAMPLING_VALUE: "Send canonical_json(request): it puts this field after the prompt.",
    Cause.TOOL_LIST: (
        "Send the same tools in the same order in every call, and forbid one by tool_choice or by a message; "
        "PromptChanges(sort_tools=True) orders them by name, which the model sees."
    ),
    Cause.MESSAGE_LIST: "Append messages only, results of parallel tools in the order of their calls.",
    Cause.CONTENT_FORM: (
        "Write content in one form, text before images; PromptChanges(unwrap_single_text=True) turns one text part "
        "into text."
    ),
    Cause.NULL_FIELD: (
        "Leave the field out; PromptChanges(drop_null_fields=True) does so with those of openai's response objects."
    ),
    Cause.UNICODE_FORM: "Normalise the text where it enters your program, once.",
    Cause.VOLATILE_TEXT: "Move it to the last message, or leave it out, or round it to what the prompt needs.",
    Cause.TEXT_WHITE_SPACE: "Send earlier text exactly as it was first sent or received.",
    Cause.TEXT_ORDER: "Put the lines in one order, and append new ones.",
    Cause.TEXT_CHANGE: "Move what changes behind what stays the same; leave earlier messages as they were.",
    Cause.VALUE_CHANGE: "Use one value for the requests that should share a beginning.",
}

ARGUMENTS_REMEDY = (
    "Keep the arguments as the model wrote them; PromptChanges(compact_arguments=True) gives them one notation, "
    "sort_argument_keys=True also one order, which the model may see."
)
"""What to do where tool arguments differ in their form only."""
