"""The AWS CLI and LiteLLM as anybody installs them; each runs in the environment that has it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from warmroute.demo import example_spec
from warmroute.local import RunningLocally, running_locally

LONG = "This handbook answers every question about the product. " * 200
MESSAGES = [{"role": "system", "content": LONG}, {"role": "user", "content": "How long?"}]
AWS = shutil.which("aws", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))

needs_aws = pytest.mark.skipif(AWS is None, reason="the AWS CLI is not installed")
needs_litellm = pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="litellm is not installed")


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    if AWS is None and importlib.util.find_spec("litellm") is None:
        pytest.skip("neither is installed")
    with running_locally(example_spec(), speed=50, deployment_seconds=0) as running:
        yield running


class Cli:
    """The AWS CLI in a folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = {**os.environ, **environment}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        options = {"capture_output": True, "text": True, "timeout": 120}
        return subprocess.run([AWS, *arguments], check=False, cwd=self._folder, env=self._environment, **options)

    def __call__(self, *arguments: str) -> Any:
        """What it prints, read as JSON."""
        done = self.run(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout) if done.stdout.strip() else None


@pytest.fixture
def aws(local: RunningLocally, tmp_path: Path) -> Cli:
    (tmp_path / "body.json").write_text(json.dumps({"messages": MESSAGES, "max_tokens": 4}), encoding="utf-8")
    return Cli(tmp_path, local.environment)


@needs_aws
def test_the_cli_invokes_with_a_file_and_meets_a_warm_instance(aws: Cli, tmp_path: Path) -> None:
    invoke = ["sagemaker-runtime", "invoke-endpoint", "--endpoint-name", "support-bot"]
    invoke += ["--content-type", "application/json", "--body", "fileb://body.json"]
    told = [aws(*invoke, f"answer-{number}.json") for number in range(2)]
    first, second = (json.loads((tmp_path / f"answer-{number}.json").read_text("utf-8")) for number in range(2))

    assert told[0] == {"ContentType": "application/json", "InvokedProductionVariant": "main"}
    assert first["usage"]["completion_tokens"] == 4
    assert first["usage"]["prompt_tokens_details"]["cached_tokens"] == 0
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] > 2_000


@needs_aws
def test_the_cli_creates_updates_and_deletes(aws: Cli) -> None:
    variant = {"VariantName": "main", "ModelName": "cli", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 2}
    # Release 1.46.3 knows no PREFIX_AWARE yet.
    least = {**variant, "RoutingConfig": {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"}}
    named = ["--endpoint-name", "cli"]
    aws("sagemaker", "create-model", "--model-name", "cli", "--primary-container", "Image=vllm:1")
    for name, value in (("plain", variant), ("least", least)):
        variants = ["--production-variants", json.dumps([value])]
        aws("sagemaker", "create-endpoint-config", "--endpoint-config-name", name, *variants)
    made = aws("sagemaker", "create-endpoint", *named, "--endpoint-config-name", "plain")
    assert made["EndpointArn"].endswith(":endpoint/cli")
    aws("sagemaker", "wait", "endpoint-in-service", *named)
    aws("sagemaker", "update-endpoint", *named, "--endpoint-config-name", "least")
    aws("sagemaker", "wait", "endpoint-in-service", *named)

    described = aws("sagemaker", "describe-endpoint", *named)
    assert described["EndpointConfigName"] == "least"
    assert described["ProductionVariants"][0]["RoutingConfig"] == least["RoutingConfig"]
    aws("sagemaker", "delete-endpoint", *named)
    served = aws("sagemaker", "describe-endpoint", "--endpoint-name", "support-bot")["ProductionVariants"][0]
    assert served["RoutingConfig"]["RoutingStrategy"] == "PREFIX_AWARE"
    names = aws("sagemaker", "list-endpoints", "--query", "Endpoints[?EndpointStatus!='Deleting'].EndpointName")
    assert names == ["support-bot"]


@needs_aws
def test_the_cli_says_why_it_is_refused(aws: Cli) -> None:
    invoke = ("sagemaker-runtime", "invoke-endpoint", "--endpoint-name", "nope", "--body", "fileb://body.json", "out")
    unknown = aws.run(*invoke)

    assert unknown.returncode in {254, 255}
    assert "(ValidationError)" in unknown.stderr
    assert "Endpoint nope of account 123456789012 not found" in unknown.stderr


@needs_litellm
@pytest.mark.filterwarnings("default")  # Of its own and of pydantic.
@pytest.mark.parametrize("stream", [False, True])
def test_litellm_s_own_provider_for_sagemaker(
    local: RunningLocally, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # It fetches its list of prices otherwise.
    for name, value in local.environment.items():
        monkeypatch.setenv(name, value)
    import litellm

    operation = "invocations-response-stream" if stream else "invocations"
    answer = litellm.completion(
        model="sagemaker_chat/support-bot",
        messages=MESSAGES,
        max_tokens=4,
        stream=stream,
        aws_region_name="us-east-1",
        sagemaker_base_url=f"{local.url}/endpoints/support-bot/{operation}",
    )
    if stream:
        assert "".join(chunk.choices[0].delta.content or "" for chunk in answer).strip()
    else:
        assert answer.choices[0].message.content.strip()
        assert answer.usage.completion_tokens == 4
