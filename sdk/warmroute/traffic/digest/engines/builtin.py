"""Functions of an engine that Ibis has no name for."""

from __future__ import annotations

from typing import Any


def builtin(name: str, result: str, *arguments: Any) -> Any:
    """A call of a function that the engine knows.

    Args:
        name: As the engine calls it.
        result: Ibis's name of the type that it returns.
        *arguments: Ibis columns.
    """
    import ibis

    def function(*arguments: Any) -> Any: ...

    signature = tuple(argument.type() for argument in arguments), result
    return ibis.udf.scalar.builtin(function, name=name, signature=signature)(*arguments)
