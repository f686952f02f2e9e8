"""One engine's profile: how fast it is and what it has room for; from a file, for another model or instance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from warmroute.documents import DocumentKind, load_mapping
from warmroute.fleet.cost_model import LLAMA_3_1_70B_8XH100, CostModel
from warmroute.fleet.engine import Engine
from warmroute.fleet.kv_cache import KvCache
from warmroute.fleet.prompt import BLOCK_SIZE
from warmroute.settings import Settings


class EngineProfile(Settings):
    """What every engine of a fleet is like.

    The defaults are those of vLLM for an API server on GPUs of 70 GiB and more (``vllm/engine/arg_utils.py``).
    """

    cost_model: CostModel = LLAMA_3_1_70B_8XH100
    """How long its steps take, and how large its KV cache is."""

    max_num_seqs: int = Field(default=1_024, ge=1)
    """Sequences that run at once."""

    max_num_batched_tokens: int = Field(default=8_192, ge=1)
    """Tokens that a step computes at most."""

    block_size: int = Field(default=BLOCK_SIZE, ge=1)
    """Tokens to a block of the KV cache; the prompts' segments must be counted in blocks of the same size."""

    host_cache_tokens: int = Field(default=0, ge=0)
    """Tokens that a second cache tier in the host's memory holds; 0 for none."""

    def engine(self) -> Engine[Any]:
        """A new engine, its caches empty."""
        host_blocks = self.host_cache_tokens // self.block_size
        return Engine(
            self.cost_model,
            KvCache(self.cost_model.kv_cache_tokens // self.block_size, self.block_size),
            max_num_seqs=self.max_num_seqs,
            max_num_batched_tokens=self.max_num_batched_tokens,
            host_cache=KvCache(host_blocks, self.block_size) if host_blocks else None,
        )


def load_profile(path: str | Path) -> EngineProfile:
    """The profile of a YAML or JSON file.

    Args:
        path: The file: the fields of `EngineProfile`, with those of `CostModel` under ``cost_model``.

    Raises:
        DocumentError: The file cannot be read, or is neither YAML nor JSON.
        InvalidSettingsError: A field is missing, unknown or out of range; all such errors are reported.
    """
    return EngineProfile.parse(load_mapping(path, _PROFILE), name=str(Path(path)))


_PROFILE = DocumentKind("a profile")
