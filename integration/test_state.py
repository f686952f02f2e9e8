"""An account that survives the end of its server, however it comes."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from stand_in_servers import until

from warmroute.local.session import local_session

ROLE = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17"}}}
MODEL = {"ExecutionRoleArn": {"Fn::GetAtt": ["Role", "Arn"]}, "PrimaryContainer": {"Image": "vllm:1"}}
VARIANT = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 2}
CONFIG = {"ProductionVariants": [{**VARIANT, "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]}}]}
TEMPLATE = json.dumps(
    {
        "Resources": {
            "Role": ROLE,
            "Model": {"Type": "AWS::SageMaker::Model", "Properties": MODEL},
            "Config": {"Type": "AWS::SageMaker::EndpointConfig", "Properties": CONFIG},
            "Bot": {
                "Type": "AWS::SageMaker::Endpoint",
                "Properties": {"EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]}},
            },
            # Made while the endpoint is waited for, at no call of anybody's.
            "Topic": {"Type": "AWS::SNS::Topic", "DependsOn": "Bot"},
            "Key": {"Type": "AWS::KMS::Key", "DependsOn": "Topic", "Properties": {"KeyPolicy": {}}},
        }
    }
)


class Server:
    """``warmroute local --state``, to be killed."""

    def __init__(self, directory: Path) -> None:
        command = [sys.executable, "-m", "warmroute", "local", "--port", "0", "--format", "json", "--speed", "20"]
        command += ["--deployment-seconds", "10", "--state", str(directory)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        self.url = json.loads(line)["url"]

    def client(self, service: str) -> Any:
        return local_session(self.url, "us-east-1").client(service)

    def end(self, how: signal.Signals) -> str:
        self.process.send_signal(how)
        return self.process.communicate(timeout=60)[1]


@contextlib.contextmanager
def running(directory: Path) -> Iterator[Server]:
    server = Server(directory)
    try:
        yield server
    finally:
        server.end(signal.SIGKILL)


def _fill(server: Server) -> None:
    server.client("cloudformation").create_stack(StackName="stack", TemplateBody=TEMPLATE)
    s3 = server.client("s3")
    s3.create_bucket(Bucket="bucket")
    upload = s3.create_multipart_upload(Bucket="bucket", Key="a/b c")["UploadId"]
    part = s3.upload_part(Bucket="bucket", Key="a/b c", UploadId=upload, PartNumber=1, Body=b"kept")
    parts = {"Parts": [{"ETag": part["ETag"], "PartNumber": 1}]}
    s3.complete_multipart_upload(Bucket="bucket", Key="a/b c", UploadId=upload, MultipartUpload=parts)
    iam = server.client("iam")
    iam.create_user(UserName="user")
    iam.create_access_key(UserName="user")
    server.client("cloudwatch").put_metric_alarm(
        AlarmName="alarm",
        MetricName="m",
        Namespace="n",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
    )
    until(lambda: _stack(server)["StackStatus"] == "CREATE_COMPLETE", "the stack is made", of=server.process)
    endpoint = _resources(server)["Bot"].rpartition("/")[2]
    server.client("application-autoscaling").register_scalable_target(
        ServiceNamespace="sagemaker",
        ResourceId=f"endpoint/{endpoint}/variant/main",
        ScalableDimension="sagemaker:variant:DesiredInstanceCount",
        MinCapacity=1,
        MaxCapacity=4,
    )


def _stack(server: Server) -> dict[str, Any]:
    return server.client("cloudformation").describe_stacks(StackName="stack")["Stacks"][0]


def _resources(server: Server) -> dict[str, str]:
    found = server.client("cloudformation").describe_stack_resources(StackName="stack")["StackResources"]
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}


def _seen(server: Server) -> dict[str, Any]:
    """What a user of the account sees of it."""
    scaling = server.client("application-autoscaling").describe_scalable_targets(ServiceNamespace="sagemaker")
    listed = server.client("sagemaker").list_endpoints()["Endpoints"]
    keys = server.client("iam").list_access_keys(UserName="user")["AccessKeyMetadata"]
    return {
        "stack": [_stack(server)[name] for name in ("StackId", "StackStatus", "CreationTime")],
        "resources": _resources(server),
        "endpoints": [(each["EndpointName"], each["EndpointStatus"], each["CreationTime"]) for each in listed],
        "object": server.client("s3").get_object(Bucket="bucket", Key="a/b c")["Body"].read(),
        "access keys": [each["AccessKeyId"] for each in keys],
        "alarms": [each["AlarmName"] for each in server.client("cloudwatch").describe_alarms()["MetricAlarms"]],
        "targets": [(each["ResourceId"], each["MaxCapacity"]) for each in scaling["ScalableTargets"]],
    }


def test_an_account_is_the_same_after_every_kind_of_end(tmp_path: Path, warmroute: Any) -> None:
    directory = tmp_path / "state"
    acknowledged: list[str] = []
    with running(directory) as server:
        _fill(server)
        before = _seen(server)
        other = warmroute("local", "--port", "0", "--state", str(directory))
        assert (other.returncode, other.stdout) == (1, "")
        assert other.stderr.startswith(f"State in {directory}: another local endpoint is using it.")

        writing = threading.Thread(target=_make_models, args=(server, acknowledged))
        writing.start()
        until(lambda: len(acknowledged) >= 5, "models are made")
        server.end(signal.SIGKILL)
        writing.join()

    with running(directory) as server:
        assert _seen(server) == before
        models = [each["ModelName"] for each in _listed_models(server) if each["ModelName"].startswith("model-")]
        # The last one may have been written down and not acknowledged.
        assert acknowledged == models[: len(acknowledged)]
        assert len(models) <= len(acknowledged) + 1

        endpoint = before["resources"]["Bot"].rpartition("/")[2]
        answer = server.client("sagemaker-runtime").invoke_endpoint(EndpointName=endpoint, Body=b'{"prompt": "x"}')
        assert json.loads(answer["Body"].read())["usage"]["completion_tokens"]
        server.client("sagemaker").update_endpoint_weights_and_capacities(
            EndpointName=endpoint, DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 3}]
        )
        assert server.end(signal.SIGTERM) == ""

    with running(directory) as server:  # It was Updating, and time has gone on.
        control = server.client("sagemaker")
        until(
            lambda: control.describe_endpoint(EndpointName=endpoint)["EndpointStatus"] == "InService", "it is updated"
        )
        variant = control.describe_endpoint(EndpointName=endpoint)["ProductionVariants"][0]
        assert variant["CurrentInstanceCount"] == 3
        assert server.end(signal.SIGINT) == "Stopped.\n"


def _make_models(server: Server, acknowledged: list[str]) -> None:
    client = server.client("sagemaker")
    with contextlib.suppress(BotoCoreError, ClientError):
        for number in range(10_000):
            name = f"model-{number:04}"
            client.create_model(ModelName=name, PrimaryContainer={"Image": "vllm:1"})
            acknowledged.append(name)


def _listed_models(server: Server) -> list[dict[str, Any]]:
    pages = server.client("sagemaker").get_paginator("list_models").paginate(SortBy="Name", SortOrder="Ascending")
    return [model for page in pages for model in page["Models"]]
