"""From captured traffic to values in a spec, in processes of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from warmroute.traffic import read_traffic
from warmroute.traffic.digest.make import digest_requests

TRACES = Path(os.environ.get("WARMROUTE_TRACES", Path(__file__).parents[1] / "../shared/traces"))
SMALL = ("--rate", "8", "--budget", "6000")


@pytest.fixture
def capture(warmroute: Any, tmp_path: Path) -> Path:
    """A generated capture."""
    made = warmroute("sample", str(tmp_path / "capture"), "--requests", "300", "--hours", "0.2")
    assert (made.returncode, made.stderr) == (0, "")
    return tmp_path / "capture"


def test_a_capture_fills_in_the_spec(warmroute: Any, capture: Path, spec: Path) -> None:
    ran = warmroute("tune", str(capture), "--spec", str(spec), *SMALL, "--write", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    length, threshold = (told["recommendation"][name] for name in ("prefix_length", "concurrency_threshold"))

    assert told["verdict"] == "gains"
    assert 3_000 < length < 12_000
    assert all(each["hit_rate"] <= told["hit_rate_ceiling"] for each in told["strategies"].values())
    text = spec.read_text("utf-8")
    assert f"prefix_length: {length} " in text
    assert f"concurrency_threshold: {threshold} " in text
    assert warmroute("validate", str(spec)).returncode == 0


def test_a_digest_is_tuned_from_and_hash_seeds_change_nothing(warmroute: Any, capture: Path, tmp_path: Path) -> None:
    digest = tmp_path / "digest.parquet"
    digest_requests(read_traffic(capture), digest)
    first, second = (
        warmroute("tune", str(digest), "--instances", "4", *SMALL, env={"PYTHONHASHSEED": seed}) for seed in "12"
    )

    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout.startswith("prefix_length: ")


def test_recorded_agents_part_behind_their_system_prompt(warmroute: Any) -> None:
    file = TRACES / "tau-bench/gpt-4o-airline.json"
    if not file.exists():
        pytest.skip(f"no {file}; WARMROUTE_TRACES names the folder of the public traces")
    ran = warmroute("profile", str(file), "--instances", "4", "--format", "json")

    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    least, most = told["common_head"]["openai"]
    assert least < 6_155 + 100 < most + 512
    assert {each["prefix_length"]: each["keys"] for each in told["lengths"]["openai"]}[4_096] == 1
