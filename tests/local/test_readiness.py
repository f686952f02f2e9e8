"""An endpoint changes once its instances serve, and keeps serving as it did until then."""

from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from warmroute.local.control import Clock, Durations, Readiness, install
from warmroute.local.data import Fleets
from warmroute.local.data.failures import Refusal
from warmroute.local.engines import EngineStartError, SimulatedEngines

REGION, ACCOUNT, ROLE = "us-east-1", "123456789012", "arn:aws:iam::123456789012:role/exec"


class Engines(SimulatedEngines):
    """Engines that serve once they are let."""

    def __init__(self) -> None:
        super().__init__(1_000)
        self.started: dict[str, Engine] = {}

    def start(self, id, number, environment):  # noqa: A002
        self.started[id] = Engine()
        return self.started[id]

    def let(self, serves=True) -> None:
        for engine in self.started.values():
            engine.serves = serves

    @property
    def running(self) -> list[str]:
        return sorted(name for name, engine in self.started.items() if not engine.released)


class Engine:
    serves: bool | str = False
    released = False

    @property
    def in_service(self) -> bool:
        if isinstance(self.serves, str):
            raise EngineStartError(self.serves)
        return self.serves

    def release(self) -> None:
        self.released = True


class World:
    def __init__(self) -> None:
        self.engines = Engines()
        self.fleets = Fleets(self.engines)
        self.clock = Clock(0)
        durations = Durations(creating=1, updating=1, component=1, deleting=1)
        install(clock=self.clock, durations=durations, readiness=Readiness(self.fleets.is_ready, self.fleets.give_up))
        self.control = boto3.client("sagemaker", region_name=REGION)

    def configure(self, name: str, model: str | None = "model", count: int = 2) -> None:
        variant = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": count}
        more = {"ModelName": model} if model else {}
        role = {} if model else {"ExecutionRoleArn": ROLE}
        self.control.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant | more], **role)

    def status(self, seconds: float = 2) -> str:
        self.clock.advance(seconds)
        return self.control.describe_endpoint(EndpointName="bot")["EndpointStatus"]

    def instances(self, **wanted: str) -> list[str]:
        fleet = self.fleets.destination(ACCOUNT, REGION, "bot", **wanted).fleet
        return [instance.id for instance in fleet.targets()]


@pytest.fixture
def world(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "local")
    with mock_aws():
        world = World()
        world.control.create_model(ModelName="model", ExecutionRoleArn=ROLE, PrimaryContainer={"Image": "image"})
        world.configure("one")
        world.control.create_endpoint(EndpointName="bot", EndpointConfigName="one")
        yield world
    install(clock=Clock(), durations=Durations(), readiness=Readiness())


def test_an_endpoint_is_in_service_when_every_instance_serves(world):
    assert world.status() == "Creating"
    assert len(world.engines.started) == 2
    next(iter(world.engines.started.values())).serves = True
    assert world.status() == "Creating"
    world.engines.let()
    assert world.status() == "InService"
    assert world.instances() == world.engines.running


def test_instances_that_never_serve_fail_it(world):
    world.status()
    world.engines.let("The model cannot be loaded.")
    assert world.status() == "Failed"
    assert world.control.describe_endpoint(EndpointName="bot")["FailureReason"] == "The model cannot be loaded."
    assert world.engines.running == []


def _in_service(world) -> list[str]:
    world.status()
    world.engines.let()
    assert world.status() == "InService"
    return world.instances()


def test_an_update_is_served_by_the_old_until_the_new_serve(world):
    old = _in_service(world)
    world.configure("two")
    world.control.update_endpoint(EndpointName="bot", EndpointConfigName="two")
    assert world.status() == "Updating"
    assert world.instances() == old
    assert len(world.engines.running) == 4

    world.engines.let()
    assert world.status() == "InService"
    world.fleets.follow()
    assert not set(world.instances()) & set(old)
    assert world.engines.running == world.instances()


def test_a_failed_update_leaves_the_old(world):
    old = _in_service(world)
    world.configure("two")
    world.control.update_endpoint(EndpointName="bot", EndpointConfigName="two")
    world.status()
    for id_, engine in world.engines.started.items():
        engine.serves = True if id_ in old else "No."
    assert world.status(0.5) == "RollingBack"
    assert world.status() == "InService"
    assert world.instances() == world.engines.running == old


def test_scaling_out_keeps_those_that_serve(world):
    old = _in_service(world)
    change = {"VariantName": "main", "DesiredInstanceCount": 3}
    world.control.update_endpoint_weights_and_capacities(EndpointName="bot", DesiredWeightsAndCapacities=[change])
    assert world.status() == "Updating"
    assert world.instances() == old
    world.engines.let()
    assert world.status() == "InService"
    assert world.instances()[:2] == old
    assert len(world.instances()) == 3


def test_an_instance_out_of_service_is_not_chosen(world):
    first, second = _in_service(world)
    world.engines.started[first].serves = False
    assert world.instances() == [second]
    world.engines.let(False)
    with pytest.raises(Refusal, match="No instance of variant main is in service now") as refused:
        world.instances()
    assert (refused.value.code, refused.value.status) == ("ServiceUnavailable", 503)
    world.engines.let()
    assert world.instances() == [first, second]


def test_what_is_deleted_ends_though_nobody_asks(world):
    _in_service(world)
    world.control.delete_endpoint(EndpointName="bot")
    world.clock.advance(2)
    world.fleets.follow()
    assert world.engines.running == []


@pytest.mark.parametrize("serves", [True, "No."])
def test_a_component_is_in_service_when_its_copies_serve(world, serves):
    _in_service(world)
    world.configure("empty", model=None)
    world.control.update_endpoint(EndpointName="bot", EndpointConfigName="empty")
    assert world.status() == "InService"
    specification = {"ModelName": "model", "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128}}
    world.control.create_inference_component(
        InferenceComponentName="llama",
        EndpointName="bot",
        VariantName="main",
        Specification=specification,
        RuntimeConfig={"CopyCount": 3},
    )

    def status() -> str:
        world.clock.advance(2)
        return world.control.describe_inference_component(InferenceComponentName="llama")["InferenceComponentStatus"]

    assert status() == "Creating"
    world.engines.let(serves)
    assert status() == ("InService" if serves is True else "Failed")
    world.fleets.follow()
    assert len(world.engines.running) == (3 if serves is True else 0)
    if serves is True:
        assert world.instances(component="llama") == world.engines.running


def test_a_fleet_has_no_more_instances_than_there_are_engines(world):
    world.engines.most = 1
    world.status()
    world.engines.let()
    assert world.status() == "InService"
    assert world.instances() == world.engines.running
    assert len(world.engines.running) == 1
