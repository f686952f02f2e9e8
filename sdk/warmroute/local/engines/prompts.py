"""The prompt of a request, as prefix caches see it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from warmroute.fleet import prompt_blocks

if TYPE_CHECKING:
    from warmroute.fleet import Prompt
    from warmroute.local.engines.completion import Completion

_LONG_TEXT = 200_000
"""Characters from which a prompt is hashed aside, so that other requests need not wait: some milliseconds' work."""


async def prompt_of(completion: Completion, adapter: str) -> Prompt:
    """A request's prompt, as the prefix caches of a fleet see it.

    Args:
        completion: The request.
        adapter: The LoRA adapter that it asks for; empty for none.
    """
    # No adapter's name has a NUL in it, so that none can be mistaken for the beginning of a salt.
    salt = f"{adapter}\0{completion.cache_salt}"
    if len(completion.text) < _LONG_TEXT:
        return prompt_blocks(completion.text, salt=salt)
    return await asyncio.to_thread(prompt_blocks, completion.text, salt=salt)
