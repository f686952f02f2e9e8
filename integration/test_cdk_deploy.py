"""The CDK's own command line against the local endpoint: bootstrap, deploy, update, diff, drift, destroy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from warmroute.local import RunningLocally, running_locally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
CDK = ROOT / "node_modules" / ".bin" / "cdk"

pytestmark = pytest.mark.skipif(not CDK.exists(), reason="The CDK's command line is not in the checkout: run make cdk.")

SPEC = """
name: shared-bot
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
tags: {team: search}
model:
  image: {framework: vllm, version: "0.30.0"}
  source: {s3_prefix: "s3://models/llama-70b/"}
  vllm: {tensor_parallel_size: 4, enable_lora: true, max_loras: 8}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 2
    managed_instance_scaling: {status: ENABLED, min_instance_count: 2, max_instance_count: 6}
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 1024, concurrency_threshold: 10}
inference_components:
  - name: llama
    specification:
      compute_resource_requirements: {number_of_accelerator_devices_required: 4, min_memory_required_in_mb: 65536}
    runtime_config: {copy_count: 3}
  - name: legal-adapter
    specification:
      base_inference_component_name: llama
      container: {artifact_url: "s3://models/legal.tar.gz"}
auto_scaling:
  - inference_component_name: llama
    min_capacity: 2
    max_capacity: 12
    target_tracking: {target_value: 5.5}
"""

_AS_SYNTHESISED = ("--app", "cdk.out", "--require-approval", "never")
"""What the last command has synthesised, so that synthesis takes its time only when the spec has changed."""

PREFIX_AWARE = """routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 1024, concurrency_threshold: 10}"""

if TYPE_CHECKING:
    Cdk = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_locally(deployment_seconds=0.5) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a spec, as a user has it."""
    (tmp_path / "endpoint.yaml").write_text(SPEC, encoding="utf-8")
    app = {"app": f"{sys.executable} -m warmroute_cdk.app", "context": {"spec": "endpoint.yaml"}}
    (tmp_path / "cdk.json").write_text(json.dumps(app), encoding="utf-8")
    return tmp_path


@pytest.fixture
def cdk(local: RunningLocally, project: Path) -> Cdk:
    environment = {
        **os.environ,
        **local.environment,
        "AWS_REGION": "us-east-1",
        "CDK_DISABLE_VERSION_CHECK": "1",
        "CDK_DISABLE_CLI_TELEMETRY": "true",
    }

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [str(CDK), "--no-color", "--no-notices", *arguments]
        # The CLI tells its progress on stderr, and where the variable CI is set on stdout.
        ran = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            env=environment,
            cwd=project,
            check=False,
        )
        assert ran.returncode == code, ran.stdout
        return ran

    return run


def _names(client: Any, operation: str, key: str, name: str) -> list[str]:
    return sorted(each[name] for each in getattr(client, operation)()[key])


def test_a_stack_lives_from_its_first_deployment_to_its_end(cdk: Any, local: RunningLocally, project: Path) -> None:
    session = local.session()
    sagemaker, scaling = session.client("sagemaker"), session.client("application-autoscaling")
    cloudformation = session.client("cloudformation")

    deployed = cdk("deploy", "--require-approval", "never", "--outputs-file", "outputs.json")
    assert "shared-bot" in deployed.stdout
    endpoint = sagemaker.describe_endpoint(EndpointName="shared-bot")
    assert endpoint["EndpointStatus"] == "InService"
    assert endpoint["ProductionVariants"][0]["RoutingConfig"]["RoutingStrategy"] == "PREFIX_AWARE"
    outputs = json.loads((project / "outputs.json").read_text(encoding="utf-8"))["shared-bot"]
    assert outputs["EndpointArn"] == endpoint["EndpointArn"]
    components = _names(sagemaker, "list_inference_components", "InferenceComponents", "InferenceComponentName")
    assert components == ["legal-adapter", "llama"]
    base = sagemaker.describe_inference_component(InferenceComponentName="llama")
    assert (base["InferenceComponentStatus"], base["RuntimeConfig"]["CurrentCopyCount"]) == ("InService", 3)
    (target,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    assert (target["ResourceId"], target["MaxCapacity"]) == ("inference-component/llama", 12)
    (policy,) = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]
    assert policy["TargetTrackingScalingPolicyConfiguration"]["TargetValue"] == 5.5

    spec = project / "endpoint.yaml"
    changed = SPEC.replace(PREFIX_AWARE, "routing_strategy: LEAST_OUTSTANDING_REQUESTS")
    assert changed != SPEC
    spec.write_text(changed, encoding="utf-8")
    difference = cdk("diff")
    assert "LEAST_OUTSTANDING_REQUESTS" in difference.stdout
    assert "replace" in difference.stdout
    cdk("deploy", *_AS_SYNTHESISED)
    updated = sagemaker.describe_endpoint(EndpointName="shared-bot")
    assert updated["EndpointConfigName"] != endpoint["EndpointConfigName"]
    assert updated["CreationTime"] == endpoint["CreationTime"]
    variant = updated["ProductionVariants"][0]
    assert variant["RoutingConfig"] == {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"}
    configurations = _names(sagemaker, "list_endpoint_configs", "EndpointConfigs", "EndpointConfigName")
    assert configurations == [updated["EndpointConfigName"]]

    assert "no changes" in cdk("deploy", *_AS_SYNTHESISED).stdout
    cdk("drift", "--fail", *_AS_SYNTHESISED[:2])
    scaling.register_scalable_target(
        ServiceNamespace="sagemaker",
        ResourceId="inference-component/llama",
        ScalableDimension="sagemaker:inference-component:DesiredCopyCount",
        MaxCapacity=7,
    )
    drifted = cdk("drift", "--fail", *_AS_SYNTHESISED[:2], code=1)
    assert "MaxCapacity" in drifted.stdout

    cdk("destroy", "--force", *_AS_SYNTHESISED[:2])
    assert sagemaker.list_endpoints()["Endpoints"] == []
    assert sagemaker.list_endpoint_configs()["EndpointConfigs"] == []
    assert sagemaker.list_models()["Models"] == []
    assert scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []
    assert cloudformation.describe_stacks()["Stacks"] == []


def test_a_failed_deployment_is_told_rolled_back_and_can_be_repeated(
    cdk: Any, local: RunningLocally, project: Path
) -> None:
    cloudformation = local.session().client("cloudformation")
    taken = {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "taken"}}
    (project / "cdk.json").write_text(json.dumps({"app": "cdk.out"}), encoding="utf-8")
    assembly = project / "cdk.out"
    ran = subprocess.run(
        [sys.executable, "-c", _APP, json.dumps(taken), str(assembly)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    topics = local.session().client("sns")
    arn = topics.create_topic(Name="taken")["TopicArn"]

    failed = cdk("deploy", "--require-approval", "never", code=1)
    assert "taken" in failed.stdout
    (stack,) = cloudformation.describe_stacks(StackName="topics")["Stacks"]
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"

    topics.delete_topic(TopicArn=arn)
    cdk("deploy", "--require-approval", "never")
    (stack,) = cloudformation.describe_stacks(StackName="topics")["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE"


_APP = """
import json, sys
from aws_cdk import App, CfnResource, Stack
app = App(outdir=sys.argv[2])
resource = json.loads(sys.argv[1])
CfnResource(Stack(app, "topics"), "Topic", type=resource["Type"], properties=resource["Properties"])
app.synth()
"""


def test_bootstrap_is_a_stack_like_any_other(cdk: Any, local: RunningLocally) -> None:
    cdk("bootstrap", "aws://123456789012/eu-west-1")

    session = local.session("eu-west-1")
    (stack,) = session.client("cloudformation").describe_stacks(StackName="CDKToolkit")["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    bucket = next(each["OutputValue"] for each in stack["Outputs"] if each["OutputKey"] == "BucketName")
    session.client("s3").put_object(Bucket=bucket, Key="template", Body=b"{}")
    version = session.client("ssm").get_parameter(Name="/cdk-bootstrap/hnb659fds/version")
    assert int(version["Parameter"]["Value"]) >= 6
