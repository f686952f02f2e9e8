"""The call of a tool that a chat demands as its answer.

Source: vLLM's ``ChatCompletionRequest.check_tool_usage`` and its chat serving, of version 0.30. A model decides under
``auto`` whether it calls a tool; a simulated one does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from warmroute.local.engines.container import ContainerRefusal
from warmroute.local.engines.made_up_json import made_up


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool."""

    name: str
    arguments: str
    """As JSON, of made-up values that the tool's parameters allow."""

    finish_reason: str
    """How the answer ends with it."""


def demanded_call(values: Mapping[str, Any]) -> ToolCall | None:
    """The call that ``tool_choice`` demands: of the first tool, or of the named one; None where it demands none.

    Args:
        values: A chat request.

    Raises:
        ContainerRefusal: There is no such tool, or no such choice.
    """
    choice = values.get("tool_choice")
    tools = values.get("tools")
    if choice is None or choice == "none" or (choice == "auto" and tools is not None):
        return None
    functions = _functions(tools)
    if not functions:
        raise ContainerRefusal(400, "When using `tool_choice`, `tools` must be set.")
    if choice == "required":
        return _call(functions[0], "tool_calls")
    function = choice.get("function") if isinstance(choice, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if name is None:
        raise ContainerRefusal(400, "tool_choice must be `none`, `auto`, `required` or a named tool.")
    for each in functions:
        if each["name"] == name:
            return _call(each, "stop")
    raise ContainerRefusal(400, "The tool specified in `tool_choice` does not match any of the specified `tools`.")


def _functions(tools: Any) -> list[Mapping[str, Any]]:
    if not tools:
        return []
    if not isinstance(tools, list):
        raise ContainerRefusal(400, "tools must be a list.")
    functions = []
    for position, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise ContainerRefusal(400, f"tools[{position}] must be a function with a name that is a text.")
        if not isinstance(function.get("parameters"), Mapping | None):
            raise ContainerRefusal(400, f"tools[{position}].function.parameters must be an object: a JSON schema.")
        functions.append(function)
    return functions


def _call(function: Mapping[str, Any], finish_reason: str) -> ToolCall:
    parameters = function.get("parameters") or {}
    try:  # Arguments are an object, also where the schema does not say so.
        arguments = orjson.dumps(made_up({"type": "object", **parameters})).decode()
    except orjson.JSONEncodeError:
        raise ContainerRefusal(400, "The parameters of a tool are nested too deep.") from None
    return ToolCall(function["name"], arguments, finish_reason)
