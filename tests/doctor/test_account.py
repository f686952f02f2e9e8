"""The probes of credentials and region, which ask nobody and show no secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from warmroute.doctor import Diagnosis, Machine, Status, account
from warmroute.hosting import parse_spec

SECRET = "wJalrXUtnFEMI"


@pytest.fixture(autouse=True)
def nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("subprocess.Popen", refuse)


def credentials() -> Diagnosis:
    (found,) = account.credentials(Machine())
    assert SECRET not in str(found)
    return found


def test_none() -> None:
    assert str(credentials()) == (
        "warning  credentials: none are found; on AWS's own machines the role of the machine serves. Run aws configure "
        "or set AWS_PROFILE; for warmroute local, AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local."
    )


def test_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)

    assert str(credentials()) == "ok       credentials: from the environment."


def test_half_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")

    found = credentials()
    assert found.status is Status.PROBLEM
    assert "AWS_SECRET_ACCESS_KEY" in found.message


def test_the_local_endpoint_s_keys_without_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")

    assert credentials().status is Status.WARNING
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:8333")
    assert credentials().status is Status.OK


def test_of_a_profile_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = f"aws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = {SECRET}\n"
    (tmp_path / "credentials").write_text(f"[default]\n{keys}[work]\n{keys}", encoding="utf-8")

    assert credentials().message == "from profile default in a file."
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert credentials().message == "from profile work in a file."


def test_of_a_profile_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")

    found = credentials()
    assert found.status is Status.PROBLEM
    assert "nobody" in found.message
    assert list(account.region(Machine())) == []


@pytest.mark.parametrize(
    ("profile", "source"),
    [
        ("role_arn = arn:aws:iam::123456789012:role/x\ncredential_source = Ec2InstanceMetadata", "a role to assume"),
        ("sso_session = work\nsso_account_id = 123456789012\nsso_role_name = x", "IAM Identity Center"),
        ("credential_process = /bin/false", "a program that prints them"),
    ],
)
def test_of_elsewhere(tmp_path: Path, profile: str, source: str) -> None:
    session = "[sso-session work]\nsso_region = us-east-1\nsso_start_url = https://example.com\n"
    (tmp_path / "config").write_text(f"[default]\n{profile}\n{session}", encoding="utf-8")

    assert str(credentials()) == f"ok       credentials: from {source}; not asked for here, --online does."


def test_of_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/x")

    assert credentials().message == "from the role of the container; not asked for here, --online does."


@pytest.mark.parametrize(
    ("environment", "status", "says"),
    [
        ({}, Status.WARNING, "none is set"),
        ({"AWS_DEFAULT_REGION": "eu-central-1"}, Status.OK, "eu-central-1."),
        ({"AWS_DEFAULT_REGION": "us-east-1a"}, Status.WARNING, "us-east-1a is none where botocore knows SageMaker"),
        ({"AWS_REGION": "eu-central-1"}, Status.WARNING, "AWS_REGION is eu-central-1, which warmroute reads"),
    ],
)
def test_region(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], status: Status, says: str) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    (found,) = account.region(Machine())

    assert found.status is status
    assert says in found.message


def test_the_region_of_a_spec_is_enough() -> None:
    spec = parse_spec(
        "{name: bot, region: eu-central-1, variants: [{name: main, model_name: llama, instance_type: ml.p5.48xlarge,"
        " initial_instance_count: 2}]}"
    )

    (found,) = account.region(Machine(), spec)

    assert found.status is Status.OK
    assert found.message.startswith("eu-central-1, the spec's;")
