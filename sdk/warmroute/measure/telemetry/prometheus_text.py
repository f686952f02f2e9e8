"""Reads metrics in Prometheus' text format: only those asked for, since a server exposes thousands of lines."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Sample(NamedTuple):
    """One line."""

    name: str
    labels: Mapping[str, str]
    value: float


def samples(text: bytes, names: Iterable[str]) -> list[Sample]:
    """The samples of some metrics, in the order of the text; what is no sample is passed over.

    Args:
        text: What a server answers.
        names: Names as they stand in the text, with ``_total`` or ``_bucket``.

    Source: Prometheus' documentation, "Exposition formats", text-based format 0.0.4, and OpenMetrics 1.0.
    """
    found = []
    for name, labels, number in _lines_of(tuple(sorted(names))).findall(text):
        value = _number(number)
        if value is not None:
            found.append(Sample(name.decode(), _labels(labels.decode("utf-8", "replace")), value))
    return found


@lru_cache(maxsize=16)
def _lines_of(names: tuple[str, ...]) -> re.Pattern[bytes]:
    one_of = b"|".join(re.escape(name.encode()) for name in names)
    return re.compile(rb"^(" + one_of + rb')[ \t]*(?:\{((?:[^"}\n]|"(?:[^"\\\n]|\\.)*")*)\})?[ \t]+(\S+)', re.MULTILINE)


_LABEL = re.compile(r'([a-zA-Z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"')
_ESCAPED = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


def _labels(text: str) -> dict[str, str]:
    return {name: re.sub(r"\\.", lambda at: _ESCAPED.get(at[0], at[0]), value) for name, value in _LABEL.findall(text)}


def _number(text: bytes) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value
