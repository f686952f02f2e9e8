"""The kinds of value in ``report.json``: numbers that may be infinite or unknown, and text from anywhere."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema

_INFINITE, _MINUS_INFINITE = "infinite", "minus infinite"


def _read_number(value: Any) -> Any:
    match value:
        case None:
            return nan
        case "infinite":
            return inf
        case "minus infinite":
            return -inf
        case _:
            return value


def _write_number(value: float) -> float | str | None:
    if isnan(value):
        return None
    return {inf: _INFINITE, -inf: _MINUS_INFINITE}.get(value, value)


def _clean(value: Any) -> Any:
    """Text without halves of surrogate pairs, which no JSON and no page can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


Number = Annotated[
    float,
    BeforeValidator(_read_number),
    PlainSerializer(_write_number, return_type=float | str | None),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": [_INFINITE, _MINUS_INFINITE, None]}]}),
]
"""In JSON ``"infinite"`` where failed requests reach it, null where it is not known."""

Text = Annotated[str, BeforeValidator(_clean)]


class Part(BaseModel):
    """Base of what a report consists of."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
