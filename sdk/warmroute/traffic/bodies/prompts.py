"""What a model reads of a request: its text, and what comes before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.prefix import CanonicalJsonError, canonical_json
from warmroute.prefix.key import message_texts
from warmroute.traffic.entries.fields import text as text_field
from warmroute.traffic.errors import BadEntryError

if TYPE_CHECKING:
    from collections.abc import Mapping

_BEFORE = ("cache_salt", "tools", "functions", "documents", "chat_template", "chat_template_kwargs")
"""Fields that vLLM's chat template shows before the messages, or that part the KV caches of equal prompts."""


class Prompt(NamedTuple):
    """What a model reads of a request."""

    text: str | None
    """The texts of its messages, or its prompt; None where it has neither as text."""

    root: str
    """What it is shown or told before, as canonical JSON; empty for nothing."""

    prefix_aware_id: str
    adapter: str


def prompt_of(request: Mapping[str, Any]) -> Prompt:
    """The prompt of a request body: of the chat, completions or responses API, or a native body of TGI or DJL.

    Args:
        request: The body's fields.

    Raises:
        BadEntryError: Tools, or what else comes before the text, have no canonical form.
    """
    before = {name: request[name] for name in _BEFORE if request.get(name)}
    try:
        root = canonical_json(before).decode() if before else ""
    except CanonicalJsonError:
        raise BadEntryError("tools have no canonical form") from None
    return Prompt(_text(request), root, text_field(request, "prompt_cache_key"), text_field(request, "model"))


def _text(request: Mapping[str, Any]) -> str | None:
    if isinstance(request.get("messages"), list):
        return _of_messages(request["messages"])
    for name in ("prompt", "inputs", "input"):
        found = request.get(name)
        if isinstance(found, str):
            return text_field(request, "instructions") + found if name == "input" else found
        if isinstance(found, list):
            if found and all(isinstance(item, str) for item in found):
                return "".join(found)
            if found and all(isinstance(item, dict) for item in found):
                return text_field(request, "instructions") + _of_messages(_of_responses(found))
    return None


def _of_messages(messages: list[Any]) -> str:
    return "".join(text for _, text in message_texts({"messages": messages}))


def _of_responses(items: list[Any]) -> list[Any]:
    """Items of the responses API as messages of the chat API, as far as they hold text."""
    return [{"content": [_text_part(part) for part in item["content"]]} if _is_parted(item) else item for item in items]


def _is_parted(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("content"), list)


def _text_part(part: Any) -> Any:
    typed = isinstance(part, dict) and part.get("type") in ("input_text", "output_text")
    return {"type": "text", "text": part.get("text")} if typed else part
