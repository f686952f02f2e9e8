"""What belongs to somebody else in the same account, under names as close to ours as SageMaker allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.ownership import OWNER_TAG

if TYPE_CHECKING:
    import boto3

    from warmroute.local.control.registry import Registry

ENDPOINT = "chat"
"""Name of the endpoint that is deployed beside them."""

ROLE = "arn:aws:iam::123456789012:role/sagemaker"
_BESIDE = f"{ENDPOINT}-bot"
_OURS_BY_NAME = f"{ENDPOINT}-0123456789"
"""Looks like a name of ours, and lacks our tag."""

_OURS_BY_TAG = "by-hand"
"""Has our tag, and a name of its own."""

_NAMES = {_BESIDE, f"{_BESIDE}-0123456789", _OURS_BY_NAME, _OURS_BY_TAG, "stranger"}


def furnish(session: boto3.Session) -> None:
    """Make them, and what the specs of the schedules refer to: a role and the weights of adapters."""
    session.client("iam").create_role(RoleName="sagemaker", AssumeRolePolicyDocument="{}")
    s3 = session.client("s3")
    s3.create_bucket(Bucket="adapters")
    for name in ("legal", "medical"):
        s3.put_object(Bucket="adapters", Key=f"{name}.tar.gz", Body=b"weights")
    client = session.client("sagemaker")
    for name, tags in (
        (f"{_BESIDE}-0123456789", {OWNER_TAG: _BESIDE}),
        (_OURS_BY_NAME, {}),
        (_OURS_BY_TAG, {OWNER_TAG: ENDPOINT}),
    ):
        listed = [{"Key": key, "Value": value} for key, value in tags.items()]
        client.create_model(ModelName=name, ExecutionRoleArn=ROLE, PrimaryContainer={"Image": "vllm:1"}, Tags=listed)
        variant = {"VariantName": "main", "InstanceType": "ml.g6.12xlarge", "InitialInstanceCount": 1}
        client.create_endpoint_config(
            EndpointConfigName=name, ExecutionRoleArn=ROLE, ProductionVariants=[variant], Tags=listed
        )
    client.create_endpoint(EndpointName=_BESIDE, EndpointConfigName=f"{_BESIDE}-0123456789")
    _wait(client)
    client.create_inference_component(
        InferenceComponentName="stranger",
        EndpointName=_BESIDE,
        VariantName="main",
        Specification={
            "ModelName": f"{_BESIDE}-0123456789",
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1_024},
        },
        RuntimeConfig={"CopyCount": 1},
    )


def is_neighbour(name: str) -> bool:
    """Whether a resource of this name is theirs."""
    return name in _NAMES


def fingerprint(registry: Registry) -> Any:
    """Everything about them that somebody could change."""
    found: list[Any] = []
    for kind in (registry.models, registry.endpoint_configs):
        found += [(id(each), each.tags) for name, each in kind.items() if name in _NAMES]
    for endpoint in registry.endpoints.values():
        if endpoint.name in _NAMES:
            found.append((id(endpoint), endpoint.status, endpoint.config.name, endpoint.tags))
    for component in registry.components.values():
        if component.name in _NAMES:
            found.append((id(component), component.status, component.desired_copy_count, component.tags))
    return found


def _wait(client: Any) -> None:
    import time

    while client.describe_endpoint(EndpointName=_BESIDE)["EndpointStatus"] != "InService":
        time.sleep(1)
