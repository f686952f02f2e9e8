"""Text with its letters and digits replaced, so that its form can be shown and its content cannot."""

from __future__ import annotations


def shape(text: str) -> str:
    """The text with x for letters, X for capitals and 0 for digits.

    Punctuation and spaces of ASCII stay; every other character, control characters among them, is ?.
    """
    return text.translate(_SHAPES)


def _shape_of(character: str) -> str:
    if character.isalpha():
        return "X" if character.isupper() else "x"
    if character.isnumeric():
        return "0"
    return character if character.isascii() and character.isprintable() else "?"


class _Shapes(dict[int, str]):
    """Shapes by code point: those of ASCII are kept, others are found when they come."""

    def __missing__(self, code: int) -> str:
        return _shape_of(chr(code))


_SHAPES = _Shapes({code: _shape_of(chr(code)) for code in range(128)})
