"""vLLM's own benchmark reads what ``warmroute convert`` writes for it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from warmroute.local.engines.vllm.interpreter import ENVIRONMENT
from warmroute.traffic import read_traffic
from warmroute.traffic.sample import write_sample
from warmroute.traffic.writers import write_traffic

FOLDER = Path(__file__).parents[2] / ENVIRONMENT

READING = """
import json, sys
from transformers import AutoTokenizer
from vllm.benchmarks.datasets.datasets import CustomDataset, TimedTrace, add_dataset_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser
name, path, count, model = sys.argv[1:]
parser = FlexibleArgumentParser()
add_dataset_parser(parser)
arguments = parser.parse_args(["--dataset-name", name, "--dataset-path", path, "--disable-shuffle"])
loader = {"custom": CustomDataset, "timed_trace": TimedTrace}[name](**vars(arguments))
samples = loader.sample(tokenizer=AutoTokenizer.from_pretrained(model), num_requests=int(count))
said = [
    {"prompt": each.prompt, "length": each.prompt_len, "answer": each.expected_output_len, "time": each.timestamp}
    for each in samples
]
print("READ " + json.dumps(said))
"""


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (FOLDER / "tiny-llama").exists():
        pytest.skip("Run make vllm first: it makes the environment and the model.")
    return write_sample(tmp_path_factory.mktemp("sample"), requests=60, hours=0.1).path


def _read_by_vllm(name: str, path: Path, count: int) -> list[dict]:
    command = [FOLDER / "bin/python", "-c", READING, name, path, str(count), FOLDER / "tiny-llama"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    (said,) = [line for line in done.stdout.splitlines() if line.startswith("READ ")]
    return json.loads(said.removeprefix("READ "))


def test_a_timed_trace_has_its_times_lengths_and_shared_beginnings(capture: Path, tmp_path: Path) -> None:
    path = tmp_path / "timed.jsonl"
    written = write_traffic(read_traffic(capture), path, format="vllm-timed")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    found = _read_by_vllm("timed_trace", path, written.requests)

    assert [each["time"] for each in found] == [line["timestamp"] for line in lines]
    assert [each["length"] for each in found] == [line["input_length"] for line in lines]
    assert [each["answer"] for each in found] == [line["output_length"] for line in lines]
    shared = 0
    for a, one in zip(found, lines, strict=True):
        for b, other in zip(found, lines, strict=True):
            if (blocks := _common(one["hash_ids"][:-1], other["hash_ids"][:-1])) and one is not other:
                assert a["prompt"][: 16 * blocks] == b["prompt"][: 16 * blocks]
                shared += 1
    assert shared > 0


def test_custom_prompts_are_sent_in_order_with_their_lengths(capture: Path, tmp_path: Path) -> None:
    if subprocess.run([FOLDER / "bin/python", "-c", "import pandas"], capture_output=True, check=False).returncode:
        pytest.skip("vLLM reads its custom data set with pandas, which its environment does not have.")
    path = tmp_path / "custom.jsonl"
    written = write_traffic(read_traffic(capture), path, format="vllm-custom")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    found = _read_by_vllm("custom", path, written.requests)

    assert len(found) == written.requests
    assert all(line["prompt"] in each["prompt"] for each, line in zip(found, lines, strict=True))
    assert [each["answer"] for each in found] == [line["output_tokens"] for line in lines]


def _common(first: list[int], second: list[int]) -> int:
    """How many blocks two prompts begin with."""
    count = 0
    while count < min(len(first), len(second)) and first[count] == second[count]:
        count += 1
    return count
