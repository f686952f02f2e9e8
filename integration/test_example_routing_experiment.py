"""The example of two variants, from its stack to the comparison that its README gives, and back."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from example_runs import EXAMPLES

from warmroute.local import running_locally

FOLDER = EXAMPLES / "cdk/routing_experiment"
CDK = EXAMPLES.parent / "node_modules/.bin/cdk"
REQUESTS = 40

pytestmark = pytest.mark.skipif(not CDK.exists(), reason="The CDK's command line is not in the checkout: run make cdk.")


def test_from_the_stack_to_figures_and_back(tmp_path: Path) -> None:
    _write_trace(tmp_path / "trace.jsonl")
    deploy, compare = _commands()
    with running_locally(speed=50, deployment_seconds=0.5) as local:
        environment = {
            **os.environ,
            **local.environment,
            "AWS_REGION": "us-east-1",
            "CDK_DISABLE_VERSION_CHECK": "1",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
        }
        sagemaker = local.session().client("sagemaker")

        app = ["-a", f"{sys.executable} {FOLDER / 'app.py'}", "--output", str(tmp_path / "cdk.out")]
        assert deploy == ["cdk", "deploy", "-a", "python3 app.py"]
        _run([str(CDK), "deploy", *app, "--require-approval", "never"], environment, tmp_path)
        made = sagemaker.describe_endpoint(EndpointName="routing-trial")["EndpointConfigName"]
        assert _strategies(sagemaker) == {"control": "RANDOM", "treatment": "PREFIX_AWARE"}

        # Two pairs, one before and one after the roles change, on a machine that may lag as it likes.
        few = ["--pairs", "2", "--aa-pairs", "0", "--replacements", "0", "--largest-lag", "60", "--poll", "0.1"]
        said = _run([sys.executable, "-m", *compare, *few, "--no-telemetry", "--format", "json"], environment, tmp_path)
        assert json.loads(said)["verdicts"][0]["pairs"] == 2
        assert sagemaker.describe_endpoint(EndpointName="routing-trial")["EndpointConfigName"] == made
        assert _strategies(sagemaker) == {"control": "RANDOM", "treatment": "PREFIX_AWARE"}

    rows = pq.read_table(tmp_path / "comparison/requests.parquet").to_pylist()
    assert len(rows) == 4 * REQUESTS
    assert all(row["error"] is None for row in rows)
    served, cached = defaultdict(set), defaultdict(int)
    for row in rows:
        served[row["arm"]].add(row["variant"])
        cached[row["arm"]] += row["cached_tokens"]
    assert served == {"random": {"control", "treatment"}, "prefix": {"control", "treatment"}}
    # Five beginnings on four instances: computed once each, or up to four times.
    assert cached["prefix"] > cached["random"]
    assert "<svg" in (tmp_path / "comparison/report.html").read_text("utf-8")


def _commands() -> list[list[str]]:
    """Those of the README: deploy, compare."""
    text = (FOLDER / "README.md").read_text("utf-8").replace("\\\n", " ")
    (block,) = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [shlex.split(line, comments=True) for line in block.splitlines()]


def _write_trace(file: Path) -> None:
    requests = (
        {
            "timestamp": 50 * number,
            "messages": [
                {"role": "system", "content": f"Handbook {number % 5} answers every question. " * 200},
                {"role": "user", "content": f"Question {number}?"},
            ],
            "output_length": 4,
        }
        for number in range(REQUESTS)
    )
    file.write_text("".join(f"{json.dumps(request)}\n" for request in requests), "utf-8")


def _strategies(sagemaker: Any) -> dict[str, str]:
    variants = sagemaker.describe_endpoint(EndpointName="routing-trial")["ProductionVariants"]
    return {each["VariantName"]: each["RoutingConfig"]["RoutingStrategy"] for each in variants}


def _run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 300, "cwd": folder}
    done = subprocess.run(command, env=environment, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout
