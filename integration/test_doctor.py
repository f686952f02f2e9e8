"""``warmroute doctor`` in environments that are really broken, and in one that is not."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from warmroute.local import running_locally
from warmroute.local.options import DEFAULT_PORT


def _package(folder: Path, name: str, version: str, code: str = "") -> None:
    """A package that Python finds before the one that is installed."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(f"__version__ = {version!r}\n{code}", encoding="utf-8")
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(text, encoding="utf-8")


def _before(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


@contextmanager
def _taken(port: int) -> Iterator[None]:
    """A port that another program has: this one, unless somebody else has it already."""
    with socket.socket() as listener:
        with suppress(OSError):
            listener.bind(("127.0.0.1", port))
            listener.listen()
        yield


def test_a_broken_environment_is_explained_line_by_line(tmp_path: Path, warmroute: Any) -> None:
    _package(tmp_path, "botocore", "1.40.0")
    _package(tmp_path, "boto3", "1.40.0")
    _package(tmp_path, "moto", "5.1.0", "raise ImportError('libxyz is missing')")
    broken = {**_before(tmp_path), "AWS_ENDPOINT_URL": "http://localhost:9", "AWS_ACCESS_KEY_ID": "never-shown"}
    with _taken(DEFAULT_PORT):
        ran = warmroute("doctor", env=broken)

    lines = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (1, "")
    assert lines[0].startswith("ok       Python: 3.")
    assert (
        "problem  packages: boto3 1.40.0 is installed, and warmroute needs >=1.43.68. Run: pip install 'boto3>=1.43.68'"
    ) in lines
    assert any(line.startswith("problem  botocore: 1.40.0 does not know PREFIX_AWARE routing") for line in lines)
    assert any(line.startswith("problem  extra local: moto 5.1.0 is installed, and warmroute needs") for line in lines)
    assert any(line.startswith("warning  credentials: it cannot be looked at: ") for line in lines)
    assert any(
        line.startswith("problem  AWS_ENDPOINT_URL: calls go to http://localhost:9, where nothing") for line in lines
    )
    assert any(line.startswith(f"warning  local port: another program has {DEFAULT_PORT}") for line in lines)
    assert "never-shown" not in ran.stdout


def test_a_command_that_cannot_start_says_why(tmp_path: Path, warmroute: Any) -> None:
    _package(tmp_path, "pydantic", "1.10.0", "raise ImportError('built for another Python')")
    ran = warmroute("validate", "endpoint.yaml", env=_before(tmp_path))

    assert (ran.returncode, ran.stdout) == (1, "")
    first, second, *_ = ran.stderr.splitlines()
    assert first == "warmroute cannot start: built for another Python."
    assert second.startswith("problem  packages: pydantic 1.10.0 is installed, and warmroute needs >=")
    assert "Traceback" not in ran.stderr


def test_the_local_endpoint_is_found_and_asked(warmroute: Any, spec: Path) -> None:
    with running_locally() as local:
        ran = warmroute("doctor", str(spec), "--online", "--format", "json", env=local.environment)

    assert (ran.returncode, ran.stderr) == (0, "")
    found = {each["subject"]: each for each in json.loads(ran.stdout)["diagnoses"]}
    assert found["AWS_ENDPOINT_URL"]["message"] == f"calls go to the local endpoint, which runs on {local.url}."
    assert found["credentials"]["message"] == "from the environment."
    assert found["region"]["message"] == "us-east-1."
    assert found["account"]["message"].startswith("123456789012 in us-east-1, as arn:aws:")
    refused = {subject: each for subject, each in found.items() if subject.startswith("permission")}
    assert refused.keys() == {"permission service-quotas"}  # The one service of a plan that is not served here.
    assert "does not implement ListServiceQuotas" in refused["permission service-quotas"]["message"]
    assert found["model"]["status"] == "warning"  # Llama is gated, and the example brings no token.
