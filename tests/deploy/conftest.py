"""A SageMaker account in this process, on a clock that stands still until a test moves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from warmroute import deploy
from warmroute.deploy.changing import waiting
from warmroute.local.control import Clock, Durations, install

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Account:
    """The account, and what was done to it."""

    session: boto3.Session
    clock: Clock
    calls: list[str]

    def deploy(self, spec: Any, **options: Any) -> tuple[deploy.Outcome, list[deploy.Progress]]:
        """Apply a spec and return what came of it, and every step."""
        steps: list[deploy.Progress] = []
        deployment = deploy.Deployment(spec, self.session, poll_seconds=1)
        outcome = deployment.apply(on_progress=steps.append, **{"preflight": False, **options})
        return outcome, steps

    def plan(self, spec: Any, **options: Any) -> deploy.Plan:
        """What an apply of a spec would change."""
        return deploy.Deployment(spec, self.session, poll_seconds=1).plan(**{"preflight": False, **options})

    def changes(self) -> list[str]:
        """Operations since the last look that were not mere questions or tags."""
        made = [call for call in self.calls if not call.startswith(("Describe", "List", "AddTags"))]
        self.calls.clear()
        return made

    @property
    def sagemaker(self) -> Any:
        return self.session.client("sagemaker")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    clock = Clock(speed=0)
    install(clock=clock, durations=Durations())
    monkeypatch.setattr(waiting.time, "sleep", clock.advance)
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with mock_aws():
        session = boto3.Session("key", "secret", region_name="us-east-1")
        calls: list[str] = []
        session.events.register("before-call", lambda model, **_: calls.append(model.name))
        yield Account(session, clock, calls)
