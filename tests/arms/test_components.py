"""What SageMaker says of an arm whose requests go to an inference component."""

from __future__ import annotations

import pytest
from deploy.conftest import account  # noqa: F401 - a fixture.

from warmroute.arms.control_plane import ControlPlane
from warmroute.errors import WarmrouteError
from warmroute.hosting import EndpointSpec
from warmroute.measure.experiment import Serving

IMAGE = "111122223333.dkr.ecr.us-east-1.amazonaws.com/vllm:1"
SPEC = EndpointSpec.parse(
    {
        "name": "shared",
        "region": "us-east-1",
        "execution_role_arn": "arn:aws:iam::123456789012:role/sagemaker",
        "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
        "inference_components": [
            {
                "name": "llama",
                "specification": {
                    "compute_resource_requirements": {"min_memory_required_in_mb": 1_024},
                    "container": {"image": IMAGE},
                },
                "runtime_config": {"copy_count": 3},
            },
            {
                "name": "legal",
                "specification": {
                    "base_inference_component_name": "llama",
                    "container": {"artifact_url": "s3://models/legal.tar.gz"},
                },
            },
        ],
    }
)


def control(account, component):  # noqa: F811
    return ControlPlane(account.session, "shared", component=component)


def test_copies_serve_and_not_instances_and_more_of_them_are_on_their_way(account):  # noqa: F811
    account.deploy(SPEC)
    seen = [control(account, "llama").serving()]

    account.sagemaker.update_inference_component_runtime_config(
        InferenceComponentName="llama", DesiredRuntimeConfig={"CopyCount": 4}
    )
    seen.append(control(account, "llama").serving())
    account.clock.advance(10_000)
    seen.append(control(account, "llama").serving())

    assert seen == [Serving(3), Serving(3, changing=True), Serving(4)]


def test_an_adapter_serves_where_its_base_does_on_the_instances(account):  # noqa: F811
    account.deploy(SPEC)

    assert control(account, "legal").serving() == Serving(2)
    assert control(account, "legal").instances() == 2


def test_the_engine_is_the_image_of_the_component(account):  # noqa: F811
    account.deploy(SPEC)

    assert control(account, "llama").look().engine.startswith(IMAGE.partition(":")[0])
    assert control(account, "legal").look().engine == ""


def test_the_engine_of_a_component_that_runs_a_model_is_the_image_of_the_model(account):  # noqa: F811
    component = {
        "name": "llama",
        "specification": {
            "compute_resource_requirements": {"min_memory_required_in_mb": 1_024},
            "model_name": "llama-model",
        },
    }
    account.sagemaker.create_model(
        ModelName="llama-model",
        ExecutionRoleArn=SPEC.execution_role_arn,
        PrimaryContainer={"Image": IMAGE, "ModelDataUrl": "s3://models/llama.tar.gz"},
    )
    account.deploy(SPEC.model_validate({**SPEC.model_dump(), "inference_components": [component]}))

    assert control(account, "llama").look().engine == IMAGE


def test_a_component_that_is_not_there_is_named(account):  # noqa: F811
    account.deploy(SPEC)

    with pytest.raises(WarmrouteError, match=r"There is no inference component poet in us-east-1\. Check the name\."):
        control(account, "poet").serving()
