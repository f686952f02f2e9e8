"""The examples as their readers run them, each against a local endpoint of its own, whose caches are cold."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from warmroute.demo import example_spec
from warmroute.local import running_locally

EXAMPLES = Path(__file__).parents[1] / "examples"

PACKAGES = {
    "chat": ["boto3"],
    "langchain": ["langchain_aws"],
    "litellm": ["openai", "litellm"],
    "openai_client": ["openai"],
    "pydantic_ai": ["openai", "pydantic_ai"],
    "strands": ["openai", "strands"],
}
"""What each example imports besides warmroute."""


def test_every_example_is_tested() -> None:
    assert {main.parent.name for main in EXAMPLES.glob("*/main.py")} == set(PACKAGES)


@pytest.mark.parametrize("example", PACKAGES)
def test_the_second_question_meets_a_warm_cache(example: str) -> None:
    for package in PACKAGES[example]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")

    with running_locally(example_spec(), speed=20) as local:
        said = _run(example, local.url)

    answers = re.findall(r"^Answer: *(\S.*)$", said, flags=re.MULTILINE)
    tokens = re.findall(r"^Tokens: (\d+) in the prompt, (\d+) of them cached$", said, flags=re.MULTILINE)
    assert len(answers) == len(tokens) >= 2
    (_, first), *later = tokens
    assert int(first) == 0
    assert all(int(cached) > 0.9 * int(prompt) for prompt, cached in later)


def _run(example: str, url: str) -> str:
    environment = {
        **os.environ,
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # LiteLLM fetches its list of prices otherwise.
    }
    command = [sys.executable, str(EXAMPLES / example / "main.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
