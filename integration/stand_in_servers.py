"""Servers in vLLM's place, and specs of endpoints that they serve."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
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
    started = []
    try:
        for _ in range(count):
            with create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            command = [interpreter(folder), "-m", "vllm.entrypoints.openai.api_server", "--port", str(port)]
            started.append((subprocess.Popen(command), f"http://127.0.0.1:{port}"))
        for _, url in started:
            until(lambda url=url: seen(url) is not None, "the server answers")
        yield [url for _, url in started]
    finally:
        for process, _ in started:
            process.kill()
            process.wait()


def seen(url: str) -> dict[str, Any] | None:
    """What a server has seen; None while it does not answer."""
    try:
        with urlopen(f"{url}/seen", timeout=10) as answer:
            return json.load(answer)
    except (URLError, OSError):
        return None


def until(what: Any, says: str, seconds: float = 60) -> Any:
    """Wait for something to be true, and give it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := what():
            return result
        time.sleep(0.05)
    raise AssertionError(f"Never: {says}.")
