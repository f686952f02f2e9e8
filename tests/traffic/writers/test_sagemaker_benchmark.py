"""The requests of a benchmark job have the form that botocore's model of SageMaker describes."""

from __future__ import annotations

import json

import pytest
from botocore.session import Session
from botocore.validate import ParamValidator

from warmroute.errors import WarmrouteError
from warmroute.traffic.writers.sagemaker_benchmark import benchmark_job, workload_config

ROLE = "arn:aws:iam::123456789012:role/benchmarks"
JOB = {"workload": "monday", "endpoint": "support-bot", "role_arn": ROLE, "results_uri": "s3://bucket/results"}


def errors(operation, request):
    shape = Session().get_service_model("sagemaker").operation_model(operation).input_shape
    return ParamValidator().validate(request, shape).generate_report()


def test_the_workload_names_the_trace_where_the_job_finds_it():
    request = workload_config("monday", "s3://bucket/traces/monday/replay.jsonl", tokenizer="meta-llama/Llama-3.2-1B")

    assert errors("CreateAIWorkloadConfig", request) == ""
    (channel,) = request["DatasetConfig"]["InputDataConfig"]
    assert channel["DataSource"]["S3DataSource"]["S3Uri"] == "s3://bucket/traces/monday/"
    specification = json.loads(request["AIWorkloadConfigs"]["WorkloadSpec"]["Inline"])
    parameters = specification["parameters"]
    assert specification["benchmark"] == {"type": "aiperf"}
    assert parameters["input_file"] == f"/opt/ml/input/data/{channel['ChannelName']}/replay.jsonl"
    assert parameters["custom_dataset_type"] == "mooncake_trace"
    assert parameters["tokenizer"] == "meta-llama/Llama-3.2-1B"
    assert not {"concurrency", "request_rate"} & set(parameters)  # Either would replace the trace's times.


def test_a_token_is_named_by_its_secret():
    secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:hf"
    request = workload_config("monday", "s3://bucket/replay.jsonl", hugging_face_secret=secret)

    assert json.loads(request["AIWorkloadConfigs"]["WorkloadSpec"]["Inline"])["secrets"] == {"hf_token": secret}
    (channel,) = request["DatasetConfig"]["InputDataConfig"]
    assert channel["DataSource"]["S3DataSource"]["S3Uri"] == "s3://bucket/"


def test_the_job_names_endpoint_components_and_results():
    request = benchmark_job("monday-1", **JOB, inference_components=["legal", "sales"])

    assert errors("CreateAIBenchmarkJob", request) == ""
    assert request["BenchmarkTarget"]["Endpoint"] == {
        "Identifier": "support-bot",
        "InferenceComponents": [{"Identifier": "legal"}, {"Identifier": "sales"}],
    }
    assert "InferenceComponents" not in benchmark_job("monday-1", **JOB)["BenchmarkTarget"]["Endpoint"]


@pytest.mark.parametrize(
    "uri", ["traces/replay.jsonl", "s3:///replay.jsonl", "s3://bucket/traces/", "s3://b/t.jsonl.gz"]
)
def test_a_uri_of_no_trace_is_refused(uri):
    with pytest.raises(WarmrouteError, match="not the S3 URI of a trace"):
        workload_config("monday", uri)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"endpoint": "support bot"}, r"'support bot' at 'benchmarkTarget.endpoint.identifier' failed .* pattern"),
        ({"role_arn": "arn:aws:iam::1:role/benchmarks"}, "roleArn"),
        ({"role_arn": "short"}, "'roleArn' failed .* length greater than or equal to 20"),
        ({"results_uri": "bucket/results"}, "outputConfig.s3OutputLocation"),
        ({"inference_components": ["-"]}, r"inferenceComponents.1.member.identifier"),
    ],
)
def test_what_sagemaker_would_refuse_is_refused(changed, told):
    with pytest.raises(WarmrouteError, match=told):
        benchmark_job("monday-1", **{**JOB, **changed})
