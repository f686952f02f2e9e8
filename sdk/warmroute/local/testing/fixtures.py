"""The fixtures: one server for a run of tests, which begins empty for every test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from warmroute.hosting import EndpointSpec, load_spec
from warmroute.local.child import RunningLocally, running_locally
from warmroute.local.deploying import DEFAULT_REGION, deploy_locally
from warmroute.local.testing.endpoint import LocalEndpoint, reset

if TYPE_CHECKING:
    from warmroute.local.engines.settings import EngineSettings

MakeEndpoint: TypeAlias = Callable[[EndpointSpec | Mapping[str, Any] | str | Path], LocalEndpoint]
"""What a test that takes ``local_endpoint`` calls."""


@dataclass(frozen=True, slots=True)
class LocalServerSettings:
    """How the server of a run of tests serves."""

    speed: float = 100.0
    """How many times faster than real engines and deployments it runs."""

    deployment_seconds: float = 0.0
    """How long creating or updating an endpoint takes, before the speed."""

    engines: EngineSettings | None = None
    """What serves behind the instances; simulated engines by default."""


@pytest.fixture(scope="session")
def local_server_settings() -> LocalServerSettings:
    """How the server serves; define a fixture of this name in ``conftest.py`` to change it."""
    return LocalServerSettings()


@pytest.fixture(scope="session")
def local_server(local_server_settings: LocalServerSettings) -> Iterator[RunningLocally]:
    """The server of all tests in this process, from the first that needs it until the end of the run."""
    settings = local_server_settings
    with running_locally(
        speed=settings.speed, deployment_seconds=settings.deployment_seconds, engines=settings.engines
    ) as running:
        yield running


@pytest.fixture
def local_endpoint(local_server: RunningLocally, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeEndpoint]:
    """Called with a spec, its values or its file: the endpoint in service, until the test ends.

    Until then, the environment sends boto3 and the AWS CLI there, and to nobody's account. After every test the server
    is empty again.
    """

    def make(spec: EndpointSpec | Mapping[str, Any] | str | Path) -> LocalEndpoint:
        document = _spec(spec)
        deploy_locally(document, local_server.url)
        endpoint = LocalEndpoint(local_server, document.name, document.region or DEFAULT_REGION)
        for name, value in endpoint.environment.items():
            monkeypatch.setenv(name, value)
        return endpoint

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    for name, value in local_server.environment.items():
        monkeypatch.setenv(name, value)
    try:
        yield make
    finally:
        reset(local_server)


def _spec(given: EndpointSpec | Mapping[str, Any] | str | Path) -> EndpointSpec:
    if isinstance(given, EndpointSpec):
        return given
    return EndpointSpec.parse(given) if isinstance(given, Mapping) else load_spec(given)
