"""An account on a clock that stands, and stacks in it."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto import mock_aws

from warmroute.local.control import Clock, Durations, install

REGION = "us-east-1"
ROLE = "arn:aws:iam::123456789012:role/exec"


class Account:
    """Every API of the account, and the clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.client = functools.cache(lambda service: boto3.client(service, region_name=REGION))

    @property
    def cloudformation(self) -> Any:
        return self.client("cloudformation")

    @property
    def sagemaker(self) -> Any:
        return self.client("sagemaker")

    def deploy(self, resources: dict[str, Any], name: str = "stack", **options: Any) -> str:
        """Create or update a stack, and wait for its end; what else the template has goes by ``template``."""
        body = json.dumps({"Resources": resources, **options.pop("template", {})})
        known = [each["StackName"] for each in self.cloudformation.describe_stacks()["Stacks"]]
        change = self.cloudformation.update_stack if name in known else self.cloudformation.create_stack
        change(StackName=name, TemplateBody=body, **options)
        return self.settled(name)

    def settled(self, name: str = "stack") -> str:
        """The stack's status once nothing is under way."""
        arn = next(
            each["StackId"] for each in self.cloudformation.list_stacks()["StackSummaries"] if each["StackName"] == name
        )
        for _ in range(100):
            status = self.cloudformation.describe_stacks(StackName=arn)["Stacks"][0]["StackStatus"]
            if not status.endswith("_IN_PROGRESS"):
                return status
            self.clock.advance(1)
        raise AssertionError(f"{name} is still {status}")

    def delete(self, name: str = "stack", **options: Any) -> str:
        """Delete a stack, and wait for its end."""
        self.cloudformation.delete_stack(StackName=name, **options)
        return self.settled(name)

    def stack(self, name: str = "stack") -> dict[str, Any]:
        return self.cloudformation.describe_stacks(StackName=name)["Stacks"][0]

    def outputs(self, name: str = "stack") -> dict[str, str]:
        return {each["OutputKey"]: each["OutputValue"] for each in self.stack(name).get("Outputs", ())}

    def events(self, name: str = "stack") -> list[str]:
        """What happened, first first."""
        events = self.cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        return [f"{each['LogicalResourceId']} {each['ResourceStatus']}" for each in reversed(events)]

    def reasons(self, name: str = "stack") -> str:
        events = self.cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        return "\n".join(each.get("ResourceStatusReason", "") for each in events)

    def physical_ids(self, name: str = "stack") -> dict[str, str]:
        resources = self.cloudformation.describe_stack_resources(StackName=name)["StackResources"]
        return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in resources}

    def configs(self) -> list[str]:
        return [each["EndpointConfigName"] for each in self.sagemaker.list_endpoint_configs()["EndpointConfigs"]]


@contextmanager
def account() -> Iterator[Account]:
    """An empty account in which time stands."""
    clock = Clock(speed=0, start=1_800_000_000.0)
    install(clock=clock, durations=Durations())
    with mock_aws():
        yield Account(clock)
    install(clock=Clock())


def get(logical_id: str, attribute: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [logical_id, attribute]}


def resource(kind: str, properties: dict[str, Any] | None = None, **attributes: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties or {}, **attributes}


def endpoint(strategy: str = "RANDOM", count: Any = 2, **properties: Any) -> dict[str, Any]:
    """A model, a configuration and an endpoint, in an order in which they cannot be made."""
    variant = {
        "VariantName": "main",
        "ModelName": get("Model", "ModelName"),
        "InstanceType": "ml.p5.48xlarge",
        "InitialInstanceCount": count,
        "RoutingConfig": {"RoutingStrategy": strategy},
    }
    return {
        "Endpoint": resource(
            "SageMaker::Endpoint", {"EndpointConfigName": get("Config", "EndpointConfigName"), **properties}
        ),
        "Config": resource("SageMaker::EndpointConfig", {"ProductionVariants": [variant]}),
        "Model": resource("SageMaker::Model", {"ExecutionRoleArn": ROLE, "PrimaryContainer": {"Image": "image"}}),
    }


def topic(name: str = "news", **attributes: Any) -> dict[str, Any]:
    """A resource that is made at once."""
    return resource("SNS::Topic", {"TopicName": name}, **attributes)
