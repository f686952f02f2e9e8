"""Arguments of the wrong type, refused by the name of the field instead of by whatever fails on them later."""

from __future__ import annotations

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.field_errors import TYPE


def wrong_kind(field: str, value: object, wanted: str, remedy: str) -> InvalidSettingsError:
    """The error for a value of another type; it does not show the value, which may be prompt text.

    Args:
        field: The argument or the path in it, ``request.messages[2]``.
        value: What was given.
        wanted: What it should be: "a mapping".
        remedy: What to do.
    """
    fault = f"None is not {wanted}." if value is None else f"A value of type {type(value).__name__} is not {wanted}."
    return InvalidSettingsError([Finding(TYPE, Severity.ERROR, field, fault, remedy)])


def check_encode(encode: object) -> None:
    """Refuse what cannot write a request.

    Raises:
        InvalidSettingsError: It cannot be called.
    """
    if not callable(encode):
        remedy = "Use canonical_json, or functools.partial(canonical_json, …)."
        raise wrong_kind("encode", encode, "a function from a request to bytes", remedy)
