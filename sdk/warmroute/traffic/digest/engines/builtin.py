"""Functions of an engine that Ibis has no name for."""

from __future__ import annotations

import inspect
from typing import Any


def builtin(name: str, result: str, *arguments: Any) -> Any:
    """A call of a function that the engine knows.

    Args:
        name: As the engine calls it.
        result: Ibis's name of the type that it returns.
        *arguments: Ibis columns, or plain values.
    """
    import ibis

    def function() -> None: ...

    columns = [argument if isinstance(argument, ibis.Value) else ibis.literal(argument) for argument in arguments]
    names = [f"argument_{position}" for position in range(len(columns))]
    parameters = [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in names]
    function.__dict__["__signature__"] = inspect.Signature(parameters)
    signature = tuple(column.type() for column in columns), result
    return ibis.udf.scalar.builtin(function, name=name, signature=signature)(*columns)
