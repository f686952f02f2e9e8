"""Real vLLM on this machine's CPU, with a tiny model; skipped where ``make vllm`` was not run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from warmroute.hosting import parse_spec
from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally
from warmroute.local.engines.vllm.interpreter import ENVIRONMENT

FOLDER = Path(__file__).parents[2] / ENVIRONMENT
ENGINES = EngineSettings(
    EngineKind.VLLM,
    vllm_python=FOLDER / "bin" / "python",
    vllm_arguments=("enforce-eager", "dtype=bfloat16", "block-size=32", "num-gpu-blocks-override=1000"),
    model_dir=FOLDER / "tiny-llama",
)
SPEC = """
name: bot
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/exec
model:
  image: {framework: vllm}
  source: {hugging_face: tiny/llama}
  vllm: {max_model_len: 16384, max_num_seqs: 8, enable_prompt_tokens_details: true}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 2
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 4096, concurrency_threshold: 4}
"""


@pytest.fixture(scope="session")
def local() -> Iterator[RunningLocally]:
    if ENGINES.model_dir is None or not ENGINES.model_dir.exists():
        pytest.skip("Run make vllm first: it makes the environment and the model.")
    # Several engines share few cores, and nothing is asked of a hub.
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(os.environ, "OMP_NUM_THREADS", "1")
        patched.setitem(os.environ, "HF_HUB_OFFLINE", "1")
        with running_locally(parse_spec(SPEC, name="endpoint.yaml"), engines=ENGINES) as running:
            yield running
