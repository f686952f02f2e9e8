"""The two APIs by which requests reach an endpoint, which compare their beginnings differently."""

from __future__ import annotations

from typing import Literal

Api = Literal["invoke", "openai"]
"""``invoke``: InvokeEndpoint and InvokeEndpointWithResponseStream, which compare bytes of the body; ``openai``: the
OpenAI-compatible API, which takes chats alone and compares characters of message text."""
