"""The formats of recorded traffic, and how one is recognised by what is in a file."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from warmroute.traffic.errors import TrafficError
from warmroute.traffic.readers import (
    bailian,
    bedrock,
    chat,
    data_capture,
    langfuse,
    litellm,
    lmcache_agent,
    mooncake,
    openai_batch,
    otel,
    sharegpt,
    swe_agent,
    tau_bench,
    timing_tables,
    token_ids,
    vllm_custom,
    vllm_timed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.traffic.readers.reader import Reader


class Format(StrEnum):
    """A format of recorded traffic, as ``--input-format`` names it."""

    DATA_CAPTURE = "data-capture"
    OPENAI_BATCH = "openai-batch"
    CHAT = "chat"
    MOONCAKE = "mooncake"
    BAILIAN = "bailian"
    SHAREGPT = "sharegpt"
    LITELLM = "litellm"
    LANGFUSE = "langfuse"
    BEDROCK = "bedrock"
    OTEL = "otel"
    VLLM_CUSTOM = "vllm-custom"
    VLLM_TIMED = "vllm-timed"
    TAU_BENCH = "tau-bench"
    SWE_AGENT = "swe-agent"
    LMCACHE_AGENT = "lmcache-agent"
    AZURE = "azure"
    BURSTGPT = "burstgpt"
    TOKEN_IDS = "token-ids"  # noqa: S105 - of a language model.


READERS: dict[Format, Reader] = {
    Format.DATA_CAPTURE: data_capture.READER,
    Format.BEDROCK: bedrock.READER,
    Format.OPENAI_BATCH: openai_batch.READER,
    Format.LITELLM: litellm.READER,
    Format.LANGFUSE: langfuse.READER,
    Format.OTEL: otel.READER,
    Format.TAU_BENCH: tau_bench.READER,
    Format.SWE_AGENT: swe_agent.READER,
    Format.SHAREGPT: sharegpt.READER,
    Format.LMCACHE_AGENT: lmcache_agent.READER,
    Format.BAILIAN: bailian.READER,
    Format.VLLM_TIMED: vllm_timed.READER,
    Format.MOONCAKE: mooncake.READER,
    Format.TOKEN_IDS: token_ids.READER,
    Format.VLLM_CUSTOM: vllm_custom.READER,
    Format.CHAT: chat.READER,
    Format.AZURE: timing_tables.AZURE,
    Format.BURSTGPT: timing_tables.BURSTGPT,
}
"""How each is read, in the order in which they are looked for: the first that recognises an entry has it."""


def format_of(value: Mapping[str, Any]) -> Format | None:
    """The format of one entry; None if it is of none."""
    return next((name for name, reader in READERS.items() if reader.recognises(value)), None)


def recognised(source: str, values: Sequence[Mapping[str, Any]]) -> Format | None:
    """The format of a file, by its first entries; None if there are none.

    A Mooncake trace whose blocks turn out to be of 16 tokens is one of vLLM.

    Args:
        source: What the file is called.
        values: The values of its first entries.

    Raises:
        TrafficError: The entries are of no known format, or of several.
    """
    found = dict.fromkeys(filter(None, map(format_of, values)))
    if found.keys() == {Format.MOONCAKE, Format.VLLM_TIMED}:
        found = {Format.VLLM_TIMED: None}
    if len(found) > 1:
        names = ", ".join(sorted(found))
        raise TrafficError(f"{source}: a mix of formats: {names}.", "Split it, or name one with --input-format.")
    if values and not found:
        looked_for = "; ".join(reader.looks_for for reader in READERS.values())
        raise TrafficError(
            f"{source}: no known format of traffic.",
            f"Looked for: {looked_for}. --input-format names the format of a file that has other fields too.",
        )
    return next(iter(found), None)
