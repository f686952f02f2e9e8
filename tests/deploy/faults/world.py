"""An account in this process that watches every API call, and may fail it, answer late, or lose its answer."""

from __future__ import annotations

import functools
import json
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from unittest import mock

import boto3
import moto.core.responses as moto_responses
from botocore import UNSIGNED
from botocore.config import Config
from deploy.faults import shortcut
from deploy.faults.neighbours import fingerprint, furnish
from moto import mock_aws
from moto.core.botocore_stubber import BotocoreStubber
from moto.sagemaker.models import sagemaker_backends

from warmroute.deploy.account import clean_up
from warmroute.local.control import Clock, Durations, hooks, install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warmroute.local.control.registry import Registry

ACCOUNT, REGION = "123456789012", "us-east-1"
SECONDS_OF_A_CALL = 0.02

Answer = tuple[int, dict[str, str], Any]
"""Status, headers and body of an HTTP response."""


class KilledError(BaseException):
    """The process ends here, as by SIGKILL: nothing that follows reaches AWS."""


class Call:
    """One API call as it reaches the account."""

    def __init__(self, number: int, operation: str, body: bytes) -> None:
        self.number = number
        self.operation = operation
        self.body = body

    @property
    def is_question(self) -> bool:
        """Whether it changes nothing."""
        return self.operation.startswith(("Describe", "List"))

    @property
    def request(self) -> dict[str, Any]:
        """Its parameters."""
        return dict(json.loads(self.body or b"{}"))


class Weather(Protocol):
    """What becomes of the calls to an account."""

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        """Answer a call, or raise in its place; ``perform`` lets it take effect."""


class CalmWeather:
    """Every call is answered."""

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        return perform()


@dataclass
class World:
    """The account, its clock, and what was seen of it."""

    clock: Clock
    session: boto3.Session
    weather: Weather = field(default_factory=CalmWeather)
    violations: list[str] = field(default_factory=list)
    """Promises that were broken, each with the call after which that was seen."""

    calls: Counter[str] = field(default_factory=Counter)
    neighbours: Any = None
    _number: int = 0

    @property
    def registry(self) -> Registry:
        """What the account holds."""
        return hooks.registry_at(ACCOUNT, REGION)

    def answer(self, operation: str, body: bytes, perform: Callable[[], Answer]) -> Answer:
        """Let the weather have its way with a call, and look at the account afterwards."""
        self._number += 1
        self.calls[operation] += 1
        call = Call(self._number, operation, body)

        def watched() -> Answer:
            self._refuse_to_lose(call)
            answer = perform()
            self.clock.advance(SECONDS_OF_A_CALL)
            self._look(call)
            return answer

        return self.weather.pass_through(call, watched)

    def _refuse_to_lose(self, call: Call) -> None:
        """Note an attempt to delete what is in use; SageMaker itself does not promise to refuse it."""
        registry, request = self.registry, call.request
        registry.settle()
        for endpoint in registry.endpoints.values():
            for deployment in filter(None, (endpoint.live, endpoint.pending)):
                if endpoint.status == "Deleting":
                    continue
                if call.operation == "DeleteEndpointConfig" and deployment.config.name == request["EndpointConfigName"]:
                    self._note(call, f"deletes configuration {deployment.config.name}, which is in use")
                models = {variant.model.name for variant in deployment.variants if variant.model}
                if call.operation == "DeleteModel" and request["ModelName"] in models:
                    self._note(call, f"deletes model {request['ModelName']}, which is in use")
        for component in registry.components.values():
            if (
                call.operation == "DeleteModel"
                and component.model
                and component.model.name == request["ModelName"]
                and component.status != "Deleting"
            ):
                self._note(call, f"deletes model {request['ModelName']}, which component {component.name} runs")

    def _look(self, call: Call) -> None:
        """Note what is broken now."""
        registry = self.registry
        registry.settle()
        for endpoint in registry.endpoints.values():
            for deployment in filter(None, (endpoint.live, endpoint.pending)):
                if endpoint.status != "Deleting" and not _is_whole(registry, deployment):
                    self._note(call, f"left endpoint {endpoint.name} without its configuration or a model")
        if self.neighbours is not None and fingerprint(registry) != self.neighbours:
            self._note(call, "touched what belongs to somebody else")
            self.neighbours = fingerprint(registry)

    def _note(self, call: Call, what: str) -> None:
        self.violations.append(f"call {call.number}, {call.operation}, {what}: {call.body.decode()[:200]}")


def _is_whole(registry: Registry, deployment: Any) -> bool:
    config = deployment.config
    return registry.endpoint_configs.get(config.name) is config and all(
        variant.model is None or registry.models.get(variant.model.name) is variant.model
        for variant in deployment.variants
    )


@contextmanager
def new_world(*, through_moto: bool = False) -> Iterator[World]:
    """A fresh account with neighbours, on a clock that only waiting moves.

    Args:
        through_moto: Whether every call goes the whole way to the control plane.
    """
    clock = Clock(speed=0)
    install(clock=clock, durations=Durations())
    with mock_aws(), mock.patch.object(time, "sleep", clock.advance):
        world = World(clock, _session())
        furnish(world.session)
        clock.advance(60)
        world.registry.settle()
        world.neighbours = fingerprint(world.registry)
        real = BotocoreStubber.process_request

        def process(stubber: BotocoreStubber, request: Any) -> Any:
            target = request.headers.get("X-Amz-Target", b"")
            service, _, operation = (target.decode() if isinstance(target, bytes) else target).partition(".")
            if not operation:
                return real(stubber, request)
            body = request.body or b""
            body = body.encode() if isinstance(body, str) else body
            if through_moto or not shortcut.is_known(service, operation):
                return world.answer(operation, body, lambda: real(stubber, request))
            backend = sagemaker_backends[ACCOUNT][REGION]
            return world.answer(operation, body, lambda: shortcut.answer(backend, operation, body))

        # moto lists the methods of its classes anew for every call.
        listed = functools.cache(moto_responses.method_names_from_class)
        with (
            mock.patch.object(BotocoreStubber, "process_request", process),
            mock.patch.object(clean_up, "monotonic", clock.now),
            mock.patch.object(moto_responses, "method_names_from_class", listed),
            mock.patch.object(hooks, "method_names_from_class", listed),
        ):
            yield world


class _Session(boto3.Session):  # type: ignore[misc]
    """Makes each client once, since making one takes longer than twenty calls; nobody looks at their signatures."""

    def client(self, service_name: str, *args: Any, config: Config | None = None, **options: Any) -> Any:
        if service_name not in _CLIENTS:
            unsigned = (config or Config()).merge(Config(signature_version=UNSIGNED))
            _CLIENTS[service_name] = super().client(service_name, *args, config=unsigned, **options)
        return _CLIENTS[service_name]


_CLIENTS: dict[str, Any] = {}
_SESSIONS: list[_Session] = []


def _session() -> _Session:
    if not _SESSIONS:
        _SESSIONS.append(_Session("key", "secret", region_name=REGION))
    return _SESSIONS[0]
