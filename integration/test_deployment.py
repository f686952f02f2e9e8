"""The life of an endpoint by the commands while a client sends requests, and commands that are killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from botocore.config import Config

from warmroute.local import RunningLocally, running_locally

if TYPE_CHECKING:
    from collections.abc import Iterator

POLL = ("--poll", "0.2")
REGION = ("--region", "us-east-1")
CHANGES = 3
"""Exit code of a plan that has something to do."""


@pytest.fixture
def local() -> Iterator[RunningLocally]:
    with running_locally(speed=20, deployment_seconds=20) as running:
        yield running


@pytest.fixture
def run(local: RunningLocally, warmroute: Any) -> Any:
    """A command against the local endpoint; it must end with the exit code that is expected."""

    def run(*arguments: str, code: int = 0) -> str:
        done = warmroute(*arguments, env=local.environment)
        assert done.returncode == code, f"{arguments}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return str(done.stdout)

    return run


class Traffic:
    """A client that sends one request after the other, without retries."""

    def __init__(self, local: RunningLocally, endpoint: str) -> None:
        once = Config(retries={"total_max_attempts": 1}, read_timeout=60)
        self._client = local.session().client("sagemaker-runtime", config=once)
        self._endpoint = endpoint
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self.answered = 0
        self.lost: list[str] = []

    @contextmanager
    def flowing(self) -> Iterator[Traffic]:
        self._thread.start()
        try:
            yield self
        finally:
            self._ends.set()
            self._thread.join(timeout=60)

    def _send(self) -> None:
        number = 0
        while not self._ends.is_set():
            number += 1
            messages = [{"role": "user", "content": f"Question {number}"}]
            body = json.dumps({"messages": messages, "max_tokens": 2})
            try:
                answer = self._client.invoke_endpoint(EndpointName=self._endpoint, Body=body)
                assert json.loads(answer["Body"].read())["choices"]
                self.answered += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, the request is lost.
                self.lost.append(repr(error))


def with_threshold(spec: Path, threshold: int) -> None:
    text = spec.read_text("utf-8")
    values = yaml.safe_load(text)
    routing = values["variants"][0]["routing_config"]["prefix_aware_routing_config"]
    routing["concurrency_threshold"] = threshold
    spec.write_text(yaml.safe_dump(values), "utf-8")


def threshold_in_force(local: RunningLocally) -> int:
    endpoint = local.session().client("sagemaker").describe_endpoint(EndpointName="support-bot")
    assert endpoint["EndpointStatus"] == "InService"
    routing = endpoint["ProductionVariants"][0]["RoutingConfig"]["PrefixAwareRoutingConfig"]
    return int(routing["ConcurrencyThreshold"])


def test_plan_apply_change_roll_back_import_and_destroy_lose_no_request(
    local: RunningLocally, run: Any, spec: Path, tmp_path: Path
) -> None:
    with_threshold(spec, 16)
    assert "create" in run("plan", str(spec), code=CHANGES)
    run("apply", str(spec), *POLL)
    assert threshold_in_force(local) == 16

    with Traffic(local, "support-bot").flowing() as traffic:
        run("plan", str(spec))
        with_threshold(spec, 24)
        planned = json.loads(run("plan", str(spec), "--format", "json", code=CHANGES))
        (endpoint,) = [each for each in planned["changes"] if each["kind"] == "endpoint"]
        assert endpoint["action"] == "update"
        assert planned["rollout"] == "blue/green"
        run("apply", str(spec), *POLL)
        assert threshold_in_force(local) == 24
        run("plan", str(spec))

        run("rollback", "support-bot", *REGION, *POLL)
        assert threshold_in_force(local) == 16
        run("plan", str(spec), code=CHANGES)

        imported = tmp_path / "imported.yaml"
        run("import", "support-bot", "--output", str(imported), *REGION)
        run("plan", str(imported))

    assert traffic.lost == []
    assert traffic.answered > 20

    run("destroy", str(spec), "--yes", *POLL)
    client = local.session().client("sagemaker")
    assert client.list_endpoints()["Endpoints"] == []
    assert client.list_endpoint_configs()["EndpointConfigs"] == []
    assert client.list_models()["Models"] == []
    run("plan", str(spec), code=CHANGES)


def killed(local: RunningLocally, spec: Path, after: str) -> list[str]:
    """Apply until a line says something, and kill the process there."""
    command = [sys.executable, "-u", "-m", "warmroute", "apply", str(spec), *POLL]
    environment = {**os.environ, **local.environment}
    seen: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            seen.append(line)
            if line.startswith(after):
                process.send_signal(signal.SIGKILL)
                break
        process.stdout.read()
    assert process.returncode == -signal.SIGKILL, seen
    return seen


def test_an_apply_that_is_killed_is_continued_by_the_next(local: RunningLocally, run: Any, spec: Path) -> None:
    for moment in ("model ", "endpoint configuration ", "endpoint support-bot: Creating"):  # Each run comes further.
        killed(local, spec, moment)
    run("apply", str(spec), *POLL)
    run("plan", str(spec))

    with Traffic(local, "support-bot").flowing() as traffic:
        moments = ("endpoint configuration ", "endpoint support-bot: Updating")
        for threshold, moment in enumerate(moments, start=20):
            with_threshold(spec, threshold)
            killed(local, spec, moment)
            run("apply", str(spec), *POLL)
            assert threshold_in_force(local) == threshold
            run("plan", str(spec))
    assert traffic.lost == []
