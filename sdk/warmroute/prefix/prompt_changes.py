"""Changes of a request that its model sees; each is off unless asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.prefix.canonical_error import MAX_DEPTH, CanonicalJsonError
from warmroute.prefix.json_reader import DoubtError, read_quickly
from warmroute.prefix.json_writer import write


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptChanges:
    """What ``canonical_json`` may change of the prompt itself, so that more requests share their beginning.

    Each of these changes what the model may see, so each can change its answers. Prefer to write requests the same way
    where they are built; use a switch where that code is not yours.
    """

    sort_tools: bool = False
    """Order ``tools`` and ``functions`` by name. The model sees its tools in another order."""

    sort_schema_keys: bool = False
    """Sort keys at every depth of a tool's ``parameters``; lists stay. The model sees properties in another order,
    and the order of properties guides the order in which it fills them."""

    compact_arguments: bool = False
    """Rewrite JSON text in ``tool_calls[].function.arguments`` without white space and escapes, in its own key order.
    Templates that render parsed arguments (vLLM parses them) show no change; those that render the text do."""

    sort_argument_keys: bool = False
    """Sort keys at every depth of ``tool_calls[].function.arguments``; text is also rewritten compactly. The model sees
    its earlier calls in another order."""

    unwrap_single_text: bool = False
    """Turn ``content`` of exactly one part, of only ``type`` and ``text``, into that text. vLLM renders both alike
    for templates of text content; a template that tells lists from text shows the difference."""

    drop_null_fields: bool = False
    """Drop a message's ``refusal``, ``annotations``, ``audio``, ``function_call`` and ``tool_calls`` where they are
    null, as in the echo of a response object. A template that asks whether a field is defined shows the difference."""

    def __bool__(self) -> bool:
        """Whether any change is asked for."""
        return any(getattr(self, switch.name) for switch in fields(self))


NO_CHANGES = PromptChanges()


def changed(request: Any, changes: PromptChanges) -> Any:
    """The request with the changes made; the request itself stays as it is. What does not look as expected is left.

    Raises:
        InvalidSettingsError: The changes are of another type.
    """
    if type(changes) is not PromptChanges:
        problem = f"The changes are a {type(changes).__name__}."
        raise InvalidSettingsError([Finding("WR006", Severity.ERROR, "prompt_changes", problem, "Give PromptChanges.")])
    if not isinstance(request, Mapping) or not changes:
        return request
    members = dict(request)
    _each(members, "tools", lambda tool: _tool(tool, changes))
    _each(members, "functions", lambda function: _function(function, changes))
    if changes.sort_tools:
        for name, name_of in (("tools", _tool_name), ("functions", _function_name)):
            if isinstance(members.get(name), (list, tuple)):
                members[name] = sorted(members[name], key=name_of)
    _each(members, "messages", lambda message: _message(message, changes))
    return members


def _each(members: dict[str, Any], name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change the objects in a list of objects, where there is such a list."""
    items = members.get(name)
    if isinstance(items, (list, tuple)):
        members[name] = [change(dict(item)) if isinstance(item, Mapping) else item for item in items]


def _tool(tool: dict[str, Any], changes: PromptChanges) -> dict[str, Any]:
    if isinstance(tool.get("function"), Mapping):
        tool["function"] = _function(dict(tool["function"]), changes)
    return tool


def _function(function: dict[str, Any], changes: PromptChanges) -> dict[str, Any]:
    if changes.sort_schema_keys and "parameters" in function:
        function["parameters"] = sorted_keys(function["parameters"])
    return function


def _tool_name(tool: Any) -> str:
    return _function_name(tool.get("function") if isinstance(tool, Mapping) else None) or _function_name(tool)


def _function_name(function: Any) -> str:
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""


def _message(message: dict[str, Any], changes: PromptChanges) -> dict[str, Any]:
    if changes.drop_null_fields:
        for name in _NULL_FIELDS:
            if name in message and message[name] is None:
                del message[name]
    if changes.unwrap_single_text and "content" in message:
        message["content"] = _unwrapped(message["content"])
    if changes.compact_arguments or changes.sort_argument_keys:
        _each(message, "tool_calls", lambda call: _call(call, changes))
        if isinstance(message.get("function_call"), Mapping):
            message["function_call"] = _called(dict(message["function_call"]), changes)
    return message


_NULL_FIELDS = ("refusal", "annotations", "audio", "function_call", "tool_calls")
"""Fields that openai's response objects carry as null; ``content`` is not among them, where null has a meaning."""


def _unwrapped(content: Any) -> Any:
    if isinstance(content, (list, tuple)) and len(content) == 1 and isinstance(content[0], Mapping):
        part = content[0]
        if len(part) == 2 and part.get("type") == "text" and isinstance(part.get("text"), str):
            return part["text"]
    return content


def _call(call: dict[str, Any], changes: PromptChanges) -> dict[str, Any]:
    if isinstance(call.get("function"), Mapping):
        call["function"] = _called(dict(call["function"]), changes)
    return call


def _called(function: dict[str, Any], changes: PromptChanges) -> dict[str, Any]:
    arguments = function.get("arguments")
    if isinstance(arguments, Mapping):
        if changes.sort_argument_keys:
            function["arguments"] = sorted_keys(arguments)
    elif isinstance(arguments, str):
        try:
            value = read_quickly(arguments)
            function["arguments"] = write(sorted_keys(value) if changes.sort_argument_keys else value).decode()
        except (DoubtError, CanonicalJsonError):
            pass  # Not JSON, which a model may well write: the text stays as it is.
    return function


def sorted_keys(value: Any, depth_left: int = MAX_DEPTH) -> Any:
    """The value with the keys of every object in it sorted by code point.

    Keys that are not text stay where they are, and so does what is nested too deeply: it has no canonical form anyway.
    """
    if depth_left == 0:
        return value
    if isinstance(value, Mapping):
        members = {name: sorted_keys(member, depth_left - 1) for name, member in value.items()}
        return {name: members[name] for name in sorted(members)} if set(map(type, members)) <= {str} else members
    if isinstance(value, (list, tuple)):
        return [sorted_keys(item, depth_left - 1) for item in value]
    return value
