"""The examples of clients as their readers run them, each against an endpoint of its own, whose caches are cold."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from example_runs import EXAMPLES, run_example

from warmroute.demo import example_spec
from warmroute.local import running_locally

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
    of_their_own = {test.stem.removeprefix("test_example_") for test in Path(__file__).parent.glob("test_example_*.py")}
    programs = {main.parent.name for main in EXAMPLES.glob("*/main.py")}
    assert programs == set(PACKAGES) | of_their_own - {"routing_experiment"}  # That one is in examples/cdk.


def test_every_example_is_in_the_index_and_has_a_page() -> None:
    index = (EXAMPLES / "README.md").read_text("utf-8")
    for folder in (path for path in EXAMPLES.iterdir() if path.is_dir() and path.name != "__pycache__"):
        assert f"[{folder.name}]({folder.name})" in index
        assert (folder / "README.md").exists()


@pytest.mark.parametrize("example", PACKAGES)
def test_the_second_question_meets_a_warm_cache(example: str) -> None:
    for package in PACKAGES[example]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")

    with running_locally(example_spec(), speed=20) as local:
        # LiteLLM fetches its list of prices otherwise.
        said = run_example(example, {**local.environment, "LITELLM_LOCAL_MODEL_COST_MAP": "True"})

    answers = re.findall(r"^Answer: *(\S.*)$", said, flags=re.MULTILINE)
    tokens = re.findall(r"^Tokens: (\d+) in the prompt, (\d+) of them cached$", said, flags=re.MULTILINE)
    assert len(answers) == len(tokens) >= 2
    (_, first), *later = tokens
    assert int(first) == 0
    assert all(int(cached) > 0.9 * int(prompt) for prompt, cached in later)
