"""The local endpoint as a child process, with a shell in its place: what it is given, and what is made of its words."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from warmroute.demo import example_spec
from warmroute.errors import LocalEndpointError
from warmroute.hosting import EndpointSpec
from warmroute.local import EngineKind, EngineSettings, running_locally

URL = "http://localhost:8333"
SERVES = f"""echo '{{"url": "{URL}", "page": "x"}}'; exec sleep 600"""

Program = Callable[[str], Path]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Puts a shell script where ``warmroute local`` would start; its guard is the real one."""

    def put(does: str) -> Path:
        file = tmp_path / "python"
        told = tmp_path / "told"
        guard = f'[ "$1" = -I ] && exec "{sys.executable}" "$@"'
        file.write_text(f'#!/bin/sh\n{guard}\nprintf "%s\\n" "$@" >{told}\n{does}\n', "utf-8")
        file.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(file))
        return told

    (tmp_path / "files").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "files"))
    return put


def test_clients_find_it_where_it_says_that_it_serves(program):
    program(SERVES)
    with running_locally() as local:
        assert local.url == URL
        assert local.session("eu-west-1").client("sagemaker").meta.endpoint_url == URL
        environment = local.environment
    assert environment == {
        "AWS_ENDPOINT_URL": URL,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@pytest.mark.parametrize("as_file", [False, True])
def test_it_is_given_the_spec_in_a_file_that_is_gone_once_it_serves(tmp_path, program, as_file):
    read = tmp_path / "read"
    program(f'cp "$4" {read}; {SERVES}')
    spec: Any = example_spec()
    if as_file:
        spec = tmp_path / "endpoint.json"
        spec.write_text(json.dumps(example_spec().model_dump(mode="json", exclude_none=True)), "utf-8")
    with running_locally(spec):
        assert EndpointSpec.model_validate_json(read.read_bytes()) == example_spec()
        assert list((tmp_path / "files").rglob("*.json")) == []
    assert list((tmp_path / "files").iterdir()) == []


def test_its_settings_are_those_of_the_command(tmp_path, program):
    told = program(SERVES)
    engines = EngineSettings(EngineKind.URL, ("http://a:1",))
    with running_locally(speed=20, deployment_seconds=0.5, engines=engines, state=tmp_path / "kept"):
        pass
    assert told.read_text("utf-8").splitlines() == [
        *("-m", "warmroute", "local", "--speed", "20", "--deployment-seconds", "0.5", "--port=0", "--format=json"),
        *("--engine", "url", "--engine-url=http://a:1", f"--state={tmp_path / 'kept'}"),
    ]


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("echo 'Port 8333: Address already in use.' >&2; exit 1", "Port 8333: Address already in use."),
        ("exit 1", "The local endpoint did not start."),
    ],
)
def test_what_it_says_when_it_does_not_start_is_the_error(program, does, says):
    program(does)
    with pytest.raises(LocalEndpointError) as refused, running_locally(example_spec()):
        pass
    assert str(refused.value) == says


def test_it_ends_with_the_block_however_that_ends(tmp_path, program):
    ended = tmp_path / "ended"
    program(f"""trap 'touch {ended}; exit 0' TERM; echo '{{"url": "{URL}"}}'; while :; do sleep 0.01; done""")
    with pytest.raises(ZeroDivisionError), running_locally():
        raise ZeroDivisionError
    assert ended.exists()
