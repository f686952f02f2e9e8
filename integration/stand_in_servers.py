"""Servers in vLLM's place, and specs of endpoints that they serve."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from warmroute.hosting import EndpointSpec, parse_spec

FOLDER = Path(__file__).parent / "stand_in"
SIGNED = "AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/sagemaker/aws4_request, SignedHeaders=host, Signature=0"

SPEC = """
name: bot
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/exec
model:
  image: {{framework: vllm}}
  source: {{hugging_face: some/model}}
  vllm: {{max_num_seqs: 8, enable_prefix_caching: false, other_arguments: {{middleware: [a, b]}}}}
  environment: {{HF_TOKEN: secret}}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: {count}
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {{prefix_length: 1024, concurrency_threshold: {threshold}}}
"""


def spec_of(count: int, threshold: int = 1) -> EndpointSpec:
    return parse_spec(SPEC.format(count=count, threshold=threshold), name="endpoint.yaml")


def interpreter(folder: Path) -> Path:
    """A Python in whose environment the stand-in is called vllm."""
    file = folder / "python"
    file.write_text(f'#!/bin/sh\nPYTHONPATH="{FOLDER}" exec "{sys.executable}" "$@"\n', encoding="utf-8")
    file.chmod(0o755)
    return file


@contextmanager
def servers(folder: Path, count: int) -> Iterator[list[str]]:
    """The addresses of so many servers, until the ``with`` block ends."""
    command = [interpreter(folder), "-m", "vllm.entrypoints.openai.api_server", "--port", "0"]
    log = folder / "servers.log"
    with log.open("w") as said, ExitStack() as started:
        running = [
            started.enter_context(_ended(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True)))
            for _ in range(count)
        ]
        yield [f"http://127.0.0.1:{_port(process, log)}" for process in running]


@contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    with process:
        try:
            yield process
        finally:
            process.kill()


def _port(process: subprocess.Popen[str], log: Path) -> int:
    """The port that a server tells once it listens; a server that ends instead fails the test at once."""
    line = process.stdout.readline()
    if not line:
        raise AssertionError(f"The server ended with exit code {process.wait()}: {log.read_text('utf-8')}")
    return int(line)


def seen(url: str) -> dict[str, Any] | None:
    """What a server has seen; None while it does not answer."""
    try:
        with urlopen(f"{url}/seen", timeout=10) as answer:
            return json.load(answer)
    except (URLError, OSError):
        return None


def until(what: Any, says: str, seconds: float = 60, of: subprocess.Popen[str] | None = None) -> Any:
    """Wait for something to be true, and give it; what a process is to do, it does no more once it has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended = of.poll() if of else None
        if result := what():
            return result
        if ended is not None:
            raise AssertionError(f"Never: {says}. The process ended with exit code {ended}.")
        time.sleep(0.05)
    raise AssertionError(f"Never: {says}.")
