"""Mooncake's traces as requests to a fleet; in the folder that ``WARMROUTE_TRACES`` names."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from warmroute.fleet import FleetRequest, PromptPieces, share_prompts

TRACES = Path(os.environ.get("WARMROUTE_TRACES") or Path(__file__).parents[1] / "../shared/traces")
SOURCE = "https://github.com/kvcache-ai/Mooncake, FAST25-release/traces"
BLOCK = 512


def rows(name: str) -> list[dict[str, Any]] | None:
    """The lines of a trace; None, and a note on the report, where it is absent."""
    file = TRACES / "mooncake" / f"{name}_trace.jsonl"
    if not file.exists():
        print(f"skipped: no {file}. Mooncake's traces are in {SOURCE}; WARMROUTE_TRACES names the folder of mooncake/.")
        return None
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def requests(trace: list[dict[str, Any]]) -> list[FleetRequest]:
    """Requests keyed by their first two blocks: all share the first."""
    prompts = share_prompts(PromptPieces(row["input_length"], _pieces(row)) for row in trace)
    return [
        FleetRequest(row["timestamp"] / 1000, prompt, row["output_length"], str(row["hash_ids"][:2]).encode())
        for row, prompt in zip(trace, prompts, strict=True)
    ]


def _pieces(row: dict[str, Any]) -> Iterator[tuple[int, int]]:
    left = row["input_length"]
    for block in row["hash_ids"]:
        yield block, min(BLOCK, left)
        left -= BLOCK
