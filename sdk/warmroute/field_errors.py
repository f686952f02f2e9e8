"""Says in words what pydantic found wrong with a field: where, which values are allowed, what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.rules import join_path
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import ValidationError
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

UNKNOWN, MISSING, TYPE, RANGE, CHOICE, FORM, SIZE = (f"WR00{n}" for n in range(1, 8))
"""Ids of the field errors: unknown, missing, wrong type, out of range, not a choice, malformed, wrong size."""

MOST_FINDINGS = 100
"""Field errors that are listed one by one; a document with more of them is hardly a spec."""

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping of fields",
    "model_attributes_type": "a mapping of fields",
}
_LIMITS = {
    "greater_than_equal": ("ge", "is below"),
    "greater_than": ("gt", "is not above"),
    "less_than_equal": ("le", "is above"),
    "less_than": ("lt", "is not below"),
}
_SIZES = {
    "too_short": ("min_length", "at least {} {} needed"),
    "too_long": ("max_length", "at most {} {} allowed"),
    "string_too_short": ("min_length", "at least {} {} needed"),
    "string_too_long": ("max_length", "at most {} {} allowed"),
}


def findings_of(error: ValidationError, cls: type[BaseModel], values: object) -> list[Finding]:
    """Every field error of a validation, in the order of the document.

    Args:
        error: What pydantic raised.
        cls: The class that was validated.
        values: What was validated; paths use its own spelling of the fields.
    """
    every = [details for details in error.errors(include_url=False) if not _is_echo(details)]
    found = [finding for details in every[:MOST_FINDINGS] for finding in _findings(details, cls, values)]
    if len(every) > MOST_FINDINGS:
        message = f"{len(every) - MOST_FINDINGS:,} further errors are not listed."
        found.append(Finding(FORM, Severity.ERROR, "", message, "Is it another file?", f"type of {cls.__name__}"))
    return found


def show(value: object) -> str:
    """A value as messages show it, cut to 60 characters."""
    try:
        shown = repr(value)
    except ValueError:  # Python refuses to write out a whole number of more than 4,300 digits.
        return "A number of thousands of digits"
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


def _is_echo(details: ErrorDetails) -> bool:
    """Whether a list is called too short only because its items were bad, which is reported for each of them."""
    if details["type"] != "too_short" or not isinstance(details["input"], Sequence):
        return False
    return bool(len(details["input"]) >= details["ctx"]["min_length"])


def _findings(details: ErrorDetails, cls: type[BaseModel], values: object) -> Iterator[Finding]:
    nested = details.get("ctx", {}).get("error")
    if isinstance(nested, InvalidSettingsError):
        for finding in nested.findings:
            _, _, path = _locate(details["loc"], cls, values, below=_parts(finding.path))
            yield replace(finding, path=path)
        return
    parent, field, path = _locate(details["loc"], cls, values)
    id_, message, remedy = _say(details, parent, field)
    yield Finding(id_, Severity.ERROR, path, message, remedy, f"type of {parent.__name__}")


def _parts(path: str) -> list[int | str]:
    """A path as the names and positions that ``warmroute.rules.join_path`` made it of."""
    return [int(position) if position else name for position, name in _PART.findall(path)]


_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def _say(details: ErrorDetails, parent: type[BaseModel], field: FieldInfo | None) -> tuple[str, str, str]:
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    # A variable may hold a token, so its value stays out of the message.
    secret = "environment" in map(str.lower, map(str, details["loc"][:-1]))
    shown = "The value" if secret else show(value)
    about = _first_paragraph(field.description) if field else ""
    id_, remedy = FORM, about
    match kind:
        case "extra_forbidden":
            id_, (message, remedy) = UNKNOWN, _say_unknown(str(details["loc"][-1]), parent)
        case "missing":
            id_, message = MISSING, "required, but not given."
        case _ if kind in _KINDS:
            id_, message, remedy = TYPE, f"{shown} is not {_KINDS[kind]}.", _join(_allowed(field), about)
        case _ if kind in _LIMITS:
            limit, words = _LIMITS[kind]
            id_, message = RANGE, f"{shown} {words} {_number(context[limit])}."
            remedy = _join(_allowed(field), about)
        case "enum" | "literal_error":
            choices = [choice.strip("'") for choice in context["expected"].replace(" or ", ", ").split(", ")]
            id_, message, remedy = CHOICE, f"{shown} is not a choice.", _suggest(str(value), choices)
        case _ if kind in _SIZES:
            limit, words = _SIZES[kind]
            id_, message = SIZE, _say_size(value, context[limit], words)
        case "string_pattern_mismatch":
            message, remedy = f"{shown} is malformed.", _join(about, f"Pattern: {context['pattern']}")
        case _:
            message = str(context.get("error", details["msg"])).rstrip(".") + "."
    return id_, message, remedy


def _say_unknown(given: str, parent: type[BaseModel]) -> tuple[str, str]:
    for name, field in parent.model_fields.items():
        if given in {name, field.serialization_alias}:
            return (
                f"{name} and {field.serialization_alias} are one field, which is given twice.",
                "Keep one of the two.",
            )
    return f"{parent.__name__} has no such field.", _suggest(given, parent.model_fields)


def _say_size(value: object, limit: int, words: str) -> str:
    is_text = isinstance(value, str)
    what = "text" if is_text else "mapping" if isinstance(value, Mapping) else "list"
    unit, units = ("character", "") if is_text else ("entry", "entries") if isinstance(value, Mapping) else ("item", "")
    size = len(value) if isinstance(value, Sized) else 0
    verb = "is" if limit == 1 else "are"
    if size == 0:
        return f"The {what} is empty; {words.format(counted(limit, unit, units), verb)}."
    return f"The {what} has {counted(size, unit, units)}; {words.format(f'{limit:,}', verb)}."


def _locate(
    loc: Sequence[int | str], cls: type[BaseModel], values: object, *, below: Sequence[int | str] = ()
) -> tuple[type[BaseModel], FieldInfo | None, str]:
    """The class and the field that a location of pydantic's names, and its path as the document spells it.

    Args:
        loc: Names and positions, and members of unions, which the document does not have.
        cls: The class that was validated.
        values: What was validated.
        below: Further names and positions, all of which the document has.
    """
    parent, path = cls, ""
    annotation: Any = cls
    field: FieldInfo | None = None
    for part, is_in_document in (*((part, False) for part in loc), *((part, True) for part in below)):
        if part == "[key]":  # The key itself is at fault, and already the last part of the path.
            continue
        options = _options(annotation)
        models = [option for option in options if isinstance(option, type) and issubclass(option, BaseModel)]
        named = [model for model in models if model.__name__ == part]
        if named:  # The tag of a union, which the document does not have.
            annotation = parent = named[0]
            continue
        owner = next((model for model in models if part in model.model_fields), models[0] if models else None)
        if owner is not None:
            parent, field = owner, owner.model_fields.get(str(part))
            annotation = field.annotation if field else Any
            spelled = _spelling(str(part), field, values)
            path = join_path(path, spelled)
            values = values.get(spelled) if isinstance(values, Mapping) else None
            continue
        if (
            isinstance(part, str) and not isinstance(values, Mapping) and not is_in_document
        ):  # A member of a union, likewise.
            continue
        annotation = _item(options, part)
        path = join_path(path, part)
        values = _get(values, part)
    return parent, field, path


def _options(annotation: Any) -> list[Any]:
    """The members of a union, through ``Annotated``; a plain annotation is its own only member."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _options(get_args(annotation)[0])
    if origin in {Union, UnionType}:
        return [option for member in get_args(annotation) for option in _options(member)]
    return [annotation]


def _item(options: Sequence[Any], part: int | str) -> Any:
    for option in options:
        args = get_args(option)
        if args:
            return args[0] if isinstance(part, int) else args[-1]
    return Any


def _spelling(name: str, field: FieldInfo | None, values: object) -> str:
    alias = field.serialization_alias if field else None
    return alias if alias and isinstance(values, Mapping) and alias in values and name not in values else name


def _get(values: object, part: int | str) -> object:
    try:
        return values[part]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return None


def _allowed(field: FieldInfo | None) -> str:
    limits = {
        name: getattr(part, name)
        for part in (field.metadata if field else ())
        for name in ("ge", "le", "gt", "lt")
        if getattr(part, name, None) is not None
    }
    if {"ge", "le"} <= limits.keys():
        return f"Allowed: {_number(limits['ge'])} to {_number(limits['le'])}."
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    told = " and ".join(f"{words[name]} {_number(limit)}" for name, limit in limits.items())
    return f"Allowed: {told}." if told else ""


def _suggest(given: str, names: Mapping[str, object] | Sequence[str]) -> str:
    near = difflib.get_close_matches(given.casefold(), {name.casefold(): name for name in names}, n=1)
    hint = f"Did you mean {next(name for name in names if name.casefold() == near[0])}? " if near else ""
    listed = list(names)
    shown = ", ".join(listed[:24]) + (f", … ({len(listed)} in all)" if len(listed) > 24 else "")
    return f"{hint}Allowed: {shown}."


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").split("\n\n", 1)[0].split()).replace("``", "`")


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _number(value: float) -> str:
    return f"{value:,}"
