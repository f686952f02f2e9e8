"""Real vLLM servers on this machine's CPU, with a tiny model, and text for them. Needs ``make vllm``."""

from __future__ import annotations

import asyncio
import os
import random
import runpy
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.local.engines.vllm import VllmEngines, vllm_interpreter

MODEL = Path(".venv-vllm", "tiny-llama")
BLOCK = 32
"""Tokens; the CPU's blocks are multiples of it."""

_SPEC = """
name: {name}
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/exec
models: {{tiny: {{source: {{hugging_face: tiny/llama}}}}}}
variants:
  - name: main
    model_name: tiny
    instance_type: ml.p5.48xlarge
    initial_instance_count: {count}
    routing_config: {routing}
"""


@contextmanager
def vllm_servers(count: int, *, blocks: int, max_model_len: int) -> Iterator[list[str]]:
    """The addresses of servers of one thread each.

    Args:
        count: How many servers.
        blocks: Blocks of each one's KV cache.
        max_model_len: Tokens of the longest request.

    Raises:
        WarmrouteError: vLLM is not there, or a server does not start.
    """
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    arguments = ["enforce-eager", "dtype=bfloat16", "enable-prompt-tokens-details", f"block-size={BLOCK}"]
    arguments += [f"max-model-len={max_model_len}", f"num-gpu-blocks-override={blocks}"]
    engines = VllmEngines(vllm_interpreter(), changes=arguments, model_dir=MODEL, say=say)
    try:
        servers = [engines.start(f"engine-{number}", number, {}) for number in range(count)]
        while not all(server.in_service for server in servers):
            time.sleep(0.5)
        _let_client_go_first()
        yield [server.process.url for server in servers]
    finally:
        asyncio.run(engines.close())


def spec_of(name: str, count: int, routing: str) -> EndpointSpec:
    """An endpoint of so many instances; its routing in YAML."""
    return parse_spec(_SPEC.format(name=name, count=count, routing=routing), name="spec")


def words() -> list[str]:
    """Words that are one token each."""
    model = Path(__file__).parents[1] / "integration/vllm/tiny_model.py"
    found: list[str] = runpy.run_path(str(model))["words"]()
    return found


def text(tokens: int, vocabulary: Sequence[str], chance: random.Random) -> str:
    """So many words."""
    return " ".join(chance.choices(vocabulary, k=tokens))


def say(said: str) -> None:
    """Tell how far it is."""
    print(said, file=sys.stderr, flush=True)


def _let_client_go_first() -> None:
    """Engines take what client and endpoint leave of the machine, as if they were on machines of their own."""
    for group in {os.getpgid(child.pid) for child in psutil.Process().children(recursive=True)}:
        if group != os.getpgrp():
            os.setpriority(os.PRIO_PGRP, group, 5)
