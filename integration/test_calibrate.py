"""``warmroute calibrate`` against the local endpoint, whose engine is built from a known profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from botocore.credentials import CredentialProvider, Credentials
from sagemaker.core.token_generator import generate_token

from warmroute.demo import example_spec_text
from warmroute.fleet import LLAMA_3_1_70B_8XH100, load_profile
from warmroute.local import running_locally


class _Provider(CredentialProvider):
    METHOD = "test"

    def load(self) -> Credentials:
        return Credentials("local", "local")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API of one instance that is as fast as a real one."""
    spec = yaml.safe_load(example_spec_text())
    (variant,) = spec["variants"]
    variant["initial_instance_count"] = 1
    variant.pop("routing_config")
    variant.pop("managed_instance_scaling", None)
    file = tmp_path_factory.mktemp("spec") / "endpoint.yaml"
    file.write_text(yaml.safe_dump(spec), encoding="utf-8")
    with running_locally(file, speed=1) as running:
        yield f"{running.url}/endpoints/{spec['name']}/openai/v1"


def test_the_local_engine_s_profile_is_found_again(url: str, warmroute: Callable, tmp_path: Path) -> None:
    token = str(generate_token(region="us-east-1", aws_credentials_provider=_Provider()))
    file = tmp_path / "profile.yaml"

    ran = warmroute("calibrate", url, "--api-key", token, "--minutes", "0.05", "-o", str(file))

    assert ran.returncode == 0, ran.stderr
    found, known = load_profile(file), LLAMA_3_1_70B_8XH100
    # Real timers are late by up to a few milliseconds, which the constants that every step pays take up.
    model = found.cost_model
    assert model.seconds_per_token == pytest.approx(known.scale * known.seconds_per_token, rel=0.35)
    floor = known.scale * (known.floor_seconds + known.attention_seconds)
    assert 0.9 * floor < model.floor_seconds < 3 * floor
    assert 0.7 * known.request_seconds < model.request_seconds < 3 * known.request_seconds
    assert found.block_size == 16
    assert "half within" in ran.stdout


def test_a_wrong_address_is_one_message(warmroute: Callable, tmp_path: Path) -> None:
    ran = warmroute("calibrate", "http://127.0.0.1:9/v1", "-o", str(tmp_path / "profile.yaml"))
    assert ran.returncode == 1
    assert "No server answers at http://127.0.0.1:9/v1" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_refused_key_is_one_message(url: str, warmroute: Callable, tmp_path: Path) -> None:
    ran = warmroute("calibrate", url, "--api-key", "wrong", "-o", str(tmp_path / "profile.yaml"))
    assert ran.returncode == 1
    assert "answered with status 403" in ran.stderr or "answered with status 401" in ran.stderr
    assert "--api-key" in ran.stderr
