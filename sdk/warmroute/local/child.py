"""The local endpoint as a child process, for tests and demonstrations."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warmroute.errors import LocalEndpointError
from warmroute.hosting import EndpointSpec, load_spec
from warmroute.local.engines.settings import EngineSettings
from warmroute.local.guarded import GuardedProcess
from warmroute.local.options import check_options
from warmroute.local.session import ACCESS_KEY, local_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boto3.session import Session


DEFAULT_REGION = "us-east-1"
"""Where clients look that name no region."""


@dataclass(frozen=True, slots=True)
class RunningLocally:
    """A local endpoint that answers."""

    url: str
    """Base URL of every API, for ``AWS_ENDPOINT_URL`` or boto3's ``endpoint_url``."""

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that send boto3 and the AWS CLI here, with keys of no account and a region."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_DEFAULT_REGION": DEFAULT_REGION,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": ACCESS_KEY,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def session(self, region: str = DEFAULT_REGION) -> Session:
        """A boto3 session whose clients and resources all come here."""
        return local_session(self.url, region)


@contextmanager
def running_locally(
    spec: EndpointSpec | str | Path | None = None,
    *,
    speed: float = 1.0,
    deployment_seconds: float = 1.0,
    engines: EngineSettings | None = None,
    state: Path | None = None,
) -> Iterator[RunningLocally]:
    """A local endpoint on a free port, for as long as the ``with`` block lasts.

    Its process ends with this one, even if this one is killed.

    Args:
        spec: What to serve at once, or its file; without one, the account is empty.
        speed: How many times faster than real engines and deployments it runs.
        deployment_seconds: How long creating or updating an endpoint takes, before the speed.
        engines: What serves behind the instances; simulated engines by default.
        state: Directory whose account is served again, and that keeps what changes; by default all is forgotten.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors.
        LocalEndpointError: A setting is out of its range, or it did not start; the message is its own.
    """
    check_options(speed, deployment_seconds)
    document = spec if isinstance(spec, EndpointSpec) or spec is None else load_spec(spec)
    options = ["--speed", str(speed), "--deployment-seconds", str(deployment_seconds), "--port=0", "--format=json"]
    options += [*(engines or EngineSettings()).options(), *([f"--state={state}"] if state else [])]
    with tempfile.TemporaryDirectory(prefix="warmroute-") as folder:
        process = _start(document, options, Path(folder))
        try:
            yield RunningLocally(_url(process, Path(folder)))
        finally:
            process.end()
            process.wait()


_SPEC, _SAID = "spec.json", "said"

_GRACE_SECONDS = 15.0
"""How long it may take to end: open requests first, then the engines that it has started."""


def _start(spec: EndpointSpec | None, options: Sequence[str], folder: Path) -> GuardedProcess:
    """Start it, with the spec in a file of the folder."""
    document = folder / _SPEC
    if spec is not None:
        document.write_text(json.dumps(spec.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
    command = [sys.executable, "-m", "warmroute", "local", *([str(document)] if spec else []), *options]
    # A file takes what it says, since a pipe that nobody reads would stop it once full.
    with (folder / _SAID).open("wb") as said:
        return GuardedProcess(command, stdout=subprocess.PIPE, stderr=said, grace_seconds=_GRACE_SECONDS)


def _url(process: GuardedProcess, folder: Path) -> str:
    line = process.read_line()
    (folder / _SPEC).unlink(missing_ok=True)  # It may hold secrets, and the folder stays if this process is killed.
    if not line:
        process.end()
        process.wait()
        said = (folder / _SAID).read_text("utf-8", "replace").strip()
        raise LocalEndpointError(said or "The local endpoint did not start.")
    return str(json.loads(line)["url"])
