"""vLLM servers as child processes of the local endpoint, with a small server in vLLM's place."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from stand_in_servers import interpreter, seen, spec_of, until

from warmroute.local.engines.vllm.process import ServerProcess
from warmroute.local.session import local_session


class Running:
    """``warmroute local --engine vllm``, and what it says."""

    def __init__(self, folder: Path, count: int, *options: str) -> None:
        document = json.dumps(spec_of(count, threshold=4).model_dump(mode="json", exclude_none=True))
        command = [sys.executable, "-m", "warmroute", "local", "-", "--port", "0", "--format", "json"]
        command += ["--engine", "vllm", "--vllm-python", str(interpreter(folder)), *options]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, **pipes)
        self.said: list[str] = []
        with contextlib.suppress(BrokenPipeError), self.process.stdin as stdin:
            stdin.write(document)
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()
        line = self.process.stdout.readline()
        self.url = json.loads(line)["url"] if line else ""

    def _listen(self) -> None:
        self.said.extend(line.rstrip() for line in self.process.stderr)

    def client(self, service: str) -> Any:
        return local_session(self.url, "us-east-1").client(service)

    def servers(self) -> list[dict[str, Any]]:
        """What every server of it has seen, found as its guards' children."""
        return [found for port in _ports(self.process.pid) if (found := seen(f"http://127.0.0.1:{port}"))]

    def stop(self) -> None:
        self.process.terminate()
        self.wait()

    def wait(self) -> None:
        self.process.wait(120)
        self._listener.join()
        self.process.stdout.close()
        self.process.stderr.close()


def _ports(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    guards = [row for row in rows if int(row[1]) == parent and "--port" in row[2]]
    return [int(row[2].partition("--port ")[2].split()[0]) for row in guards]


@contextlib.contextmanager
def running(folder: Path, count: int, *options: str) -> Iterator[Running]:
    started = Running(folder, count, *options)
    try:
        assert started.url, started.said
        yield started
    finally:
        started.stop()


def _alive(pids: list[int]) -> list[int]:
    alive = []
    for pid in pids:
        with contextlib.suppress(OSError):
            if "Z" not in Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]:
                alive.append(pid)
    return alive


def _ask(local: Running, **more: Any) -> dict[str, Any]:
    body = json.dumps({"messages": [{"role": "user", "content": "Hello. " * 400}], **more})
    return local.client("sagemaker-runtime").invoke_endpoint(EndpointName="bot", Body=body)


def _served_by(answer: dict[str, Any]) -> str:
    answer["Body"].close()
    return answer["ResponseMetadata"]["HTTPHeaders"]["x-warmroute-instance"]


def test_servers_get_the_spec_s_arguments_and_end_with_it(tmp_path: Path) -> None:
    with running(tmp_path, 2, "--vllm-arg", "block-size=32", "--vllm-arg", "max_num_seqs=4") as local:
        servers = local.servers()
        assert len(servers) == 2
        for server in servers:
            assert server["token"] == "secret"
            assert " ".join(server["argv"]).startswith(
                '--block-size 32 --max-num-seqs 4 --middleware ["a","b"] --model some/model '
                "--no-enable-prefix-caching --host 127.0.0.1 --port "
            )
        assert _ask(local)["Body"].read() == b'{"choices": []}'
        said = [line for line in local.said if "in service after" in line]
        assert len(said) == 2

    assert _alive([server["pid"] for server in servers]) == []


def test_a_server_that_dies_is_started_again(tmp_path: Path) -> None:
    with running(tmp_path, 2) as local:
        home = _served_by(_ask(local))
        before = {server["pid"] for server in local.servers()}
        mine = next(server["pid"] for server in local.servers() if server["requests"])
        os.kill(mine, signal.SIGKILL)

        until(lambda: any(line.startswith(f"{home}: ended") for line in local.said), "the end is noticed")
        assert _served_by(_ask(local)) != home
        until(lambda: len(local.servers()) == 2, "there are two again")
        until(lambda: _served_by(_ask(local)) == home, "its requests come home")
        assert len({server["pid"] for server in local.servers()} - before) == 1


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_server_outlives_the_local_endpoint(tmp_path: Path, how: signal.Signals) -> None:
    local = Running(tmp_path, 2)
    servers = [server["pid"] for server in local.servers()]
    assert len(_alive(servers)) == 2
    local.process.send_signal(how)
    local.wait()

    until(lambda: not _alive(servers), "all have ended")


def test_a_server_ends_when_its_guard_is_killed(tmp_path: Path) -> None:
    with running(tmp_path, 1) as local:
        server = local.servers()[0]["pid"]
        guard = int(Path(f"/proc/{server}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
        os.kill(guard, signal.SIGKILL)
        until(lambda: not _alive([server]), "the server has ended")
        until(lambda: len(local.servers()) == 1, "there is one again")


def test_servers_start_again_with_a_kept_account(tmp_path: Path) -> None:
    kept = ("--state", str(tmp_path / "state"))
    with running(tmp_path, 1, *kept) as local:
        home = _served_by(_ask(local))
        before = [server["pid"] for server in local.servers()]
    with running(tmp_path, 1, *kept) as local:

        def served() -> str:
            with contextlib.suppress(ClientError):  # None is in service yet.
                return _served_by(_ask(local))
            return ""

        assert until(served, "a server answers") == home
        assert not {server["pid"] for server in local.servers()} & set(before)


def test_servers_that_cannot_start_fail_the_deployment(tmp_path: Path) -> None:
    local = Running(tmp_path, 1, "--vllm-arg", "fail-at-start")
    local.wait()

    assert local.process.returncode == 1
    said = "\n".join(local.said)
    assert "ended with exit code 1 before it answered" in said
    assert "The model cannot be loaded." in said
    assert "Traceback" not in said


def test_a_server_whose_port_was_taken_is_started_on_another(tmp_path: Path) -> None:
    said: list[str] = []
    command = [str(interpreter(tmp_path)), "-m", "vllm.entrypoints.openai.api_server"]
    server = ServerProcess("main-1", command, os.environ, tmp_path / "log", said.append)
    server.look()
    port = int(server.url.rpartition(":")[2])
    try:
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))  # Held for the server.
        with socket.create_server(("127.0.0.1", port)):
            until(lambda: server.look() or server.starts == 2, "it is started again")
        until(lambda: server.look() or server.in_service, "it serves")
    finally:
        server.end()
        server.wait()

    assert not server.url.endswith(f":{port}")
    assert said[1:3] == ["main-1: ended with exit code 1", "main-1: starting again"]
    assert "Address already in use" in (tmp_path / "log").read_text("utf-8")


def test_an_update_starts_new_servers_and_ends_the_old_ones(tmp_path: Path) -> None:
    with running(tmp_path, 1) as local:
        before = local.servers()[0]["pid"]
        control = local.client("sagemaker")
        name = control.describe_endpoint(EndpointName="bot")["EndpointConfigName"]
        variants = control.describe_endpoint_config(EndpointConfigName=name)["ProductionVariants"]
        control.create_endpoint_config(EndpointConfigName="other", ProductionVariants=variants)
        control.update_endpoint(EndpointName="bot", EndpointConfigName="other")
        served = set()

        def is_updated() -> bool:
            served.add(_served_by(_ask(local)).partition("-main")[0].rpartition("-")[0])
            return control.describe_endpoint(EndpointName="bot")["EndpointStatus"] == "InService"

        until(is_updated, "the endpoint is updated")
        assert served <= {name, "other"}
        assert _served_by(_ask(local)).startswith("other-")
        until(lambda: not _alive([before]), "the old server has ended")
        assert len(local.servers()) == 1

        control.delete_endpoint(EndpointName="bot")
        until(lambda: not local.servers(), "no server is left")
        with pytest.raises(ClientError, match="not found"):
            _ask(local)
