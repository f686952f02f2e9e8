"""The command in processes of its own, from a spec to a served endpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from warmroute.local import running_locally

KEYS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}


def test_apply_creates_updates_and_then_does_nothing(spec: Path, warmroute: Any) -> None:
    with running_locally() as local:
        first = warmroute("apply", str(spec), "--poll", "0.2", env=local.environment)
        assert (first.returncode, first.stderr) == (0, "")
        lines = first.stdout.splitlines()
        assert lines[0].startswith("model support-bot-")
        assert "endpoint support-bot: InService, 7 of 7 instances" in lines
        assert lines[-1].startswith("support-bot: created")

        again = json.loads(
            warmroute("apply", str(spec), "--poll", "0.2", "--format", "json", env=local.environment).stdout
        )
        assert again["result"] == "unchanged"

        spec.write_text(
            spec.read_text("utf-8").replace("concurrency_threshold: 16", "concurrency_threshold: 24"), "utf-8"
        )
        changed = warmroute("apply", str(spec), "--poll", "0.2", env=local.environment)
        assert changed.stdout.splitlines()[-1].startswith("support-bot: updated")
        endpoint = local.session().client("sagemaker").describe_endpoint(EndpointName="support-bot")
        settings = endpoint["ProductionVariants"][0]["RoutingConfig"]["PrefixAwareRoutingConfig"]
        assert settings["ConcurrencyThreshold"] == 24


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({}, "No AWS credentials are set."),
        ({"AWS_PROFILE": "nobody"}, "nobody"),
        (
            {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"},
            "cannot be reached",
        ),
    ],
)
def test_apply_without_a_way_to_aws_is_one_line(spec: Path, warmroute: Any, env: dict[str, str], says: str) -> None:
    ran = warmroute("apply", str(spec), env={**env, "AWS_MAX_ATTEMPTS": "1"})

    assert ran.returncode == 1
    assert says in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_demo_shows_both_strategies(warmroute: Any) -> None:
    ran = warmroute("demo", "--requests", "40", "--rate", "20", "--format", "json")

    assert (ran.returncode, ran.stderr) == (0, "")
    figures = json.loads(ran.stdout)
    assert list(figures) == ["RANDOM", "PREFIX_AWARE"]
    random, aware = figures.values()
    assert random["requests"] == aware["requests"] == 40
    assert aware["instances_per_prefix"] < random["instances_per_prefix"]
    assert aware["cache_hit_rate"] > random["cache_hit_rate"]


def test_cdk_app_synthesises_the_spec(spec: Path, tmp_path: Path) -> None:
    def synthesise(**context: str) -> subprocess.CompletedProcess[str]:
        env = {
            **os.environ,
            "CDK_OUTDIR": str(tmp_path / "cdk.out"),
            "CDK_CONTEXT_JSON": json.dumps(context),
        }
        command = [sys.executable, "-m", "warmroute_cdk.app"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, check=False)

    done = synthesise(spec=str(spec))
    assert done.returncode == 0, done.stderr
    template = json.loads((tmp_path / "cdk.out" / "support-bot.template.json").read_text("utf-8"))
    assert "AWS::SageMaker::Endpoint" in {resource["Type"] for resource in template["Resources"].values()}

    assert "No spec is named" in synthesise().stderr
    missing = synthesise(spec="missing.yaml")
    assert missing.returncode == 1
    assert "missing.yaml: the file does not exist." in missing.stderr
    assert "Traceback" not in missing.stderr
