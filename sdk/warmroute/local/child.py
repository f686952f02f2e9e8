"""The local endpoint as a child process, for tests and demonstrations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.errors import LocalEndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from boto3.session import Session


@dataclass(frozen=True, slots=True)
class RunningLocally:
    """A local endpoint that answers."""

    url: str
    """Base URL of every API, for ``AWS_ENDPOINT_URL`` or boto3's ``endpoint_url``."""

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that send boto3, the AWS CLI and the CDK CLI here, with keys of no account."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def session(self, region: str = "us-east-1") -> Session:
        """A boto3 session whose clients all come here."""
        import boto3

        class LocalSession(boto3.Session):  # type: ignore[misc]
            def client(session, *args: Any, **options: Any) -> Any:  # noqa: N805 - self is the running endpoint.
                return super().client(*args, **{"endpoint_url": self.url, **options})

        return LocalSession("local", "local", region_name=region)


@contextmanager
def running_locally(
    spec: Path | None = None, *, speed: float = 1.0, deployment_seconds: float = 1.0
) -> Iterator[RunningLocally]:
    """A local endpoint on a free port, for as long as the ``with`` block lasts.

    Args:
        spec: A spec file to serve at once; without one, the account is empty.
        speed: How many times faster than real engines and deployments it runs.
        deployment_seconds: How long creating or updating an endpoint takes, before the speed.

    Raises:
        LocalEndpointError: It did not start; the message is its own.
    """
    command = [sys.executable, "-m", "warmroute", "local", *([str(spec)] if spec else []), "--port", "0"]
    options = ["--speed", str(speed), "--deployment-seconds", str(deployment_seconds), "--format", "json"]
    process = subprocess.Popen(  # noqa: S603 - our own command.
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_environment()
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            _, said = process.communicate(timeout=10)
            raise LocalEndpointError(said.strip() or "The local endpoint did not start.")
        yield RunningLocally(json.loads(line)["url"])
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _environment() -> dict[str, str]:
    """This process's environment, without what would send the child's own calls elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_ENDPOINT_URL")}
