"""The demo on real vLLM: what it takes to run it on a CPU, in small."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warmroute.errors import LocalEndpointError
from warmroute.local import EngineKind, EngineSettings

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec

INSTANCES = 2
REQUESTS = 48
REQUESTS_PER_SECOND = 0.5
HANDBOOK_CHARACTERS = 8_000
"""Some thousand tokens of the tiny model, which a core computes in about half a second."""

MODEL = Path(".venv-vllm", "tiny-llama")
"""Folder of the model that ``make vllm`` makes."""

_ARGUMENTS = (
    "tensor-parallel-size=1",
    "enforce-eager",
    "dtype=bfloat16",
    "max-model-len=16384",
    "block-size=32",  # The CPU's blocks are multiples of 32 tokens.
    "num-gpu-blocks-override=640",  # A cache that holds a part of the handbooks, as a GPU's would.
)


def vllm_engines() -> EngineSettings:
    """VLLM servers with the tiny model.

    Raises:
        LocalEndpointError: ``make vllm`` was not run here.
    """
    if not MODEL.exists():
        raise LocalEndpointError(f"There is no model in {MODEL}.", "Run make vllm in a checkout of warmroute first.")
    return EngineSettings(EngineKind.VLLM, vllm_arguments=_ARGUMENTS, model_dir=MODEL)


def in_small(spec: EndpointSpec) -> EndpointSpec:
    """A spec whose first variant has as many instances as a small machine can run vLLM servers.

    Args:
        spec: The spec.
    """
    first, *rest = spec.variants
    return spec.model_copy(update={"variants": (first.model_copy(update={"initial_instance_count": INSTANCES}), *rest)})
