"""A SageMaker AI benchmark job that replays a trace: the requests to make it with.

The job runs AIPerf on a managed machine, against an endpoint. It sends a trace in AIPerf's form of Mooncake's at its
own times, since neither rate nor concurrency is given and its lines have times. Source: the workload specification's
reference in SageMaker's developer guide; aiperf 0.13 (``--disable-auto-fixed-schedule``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from warmroute.api_model import violations
from warmroute.errors import WarmrouteError
from warmroute.prefix import canonical_json

if TYPE_CHECKING:
    from collections.abc import Sequence

CHANNEL = "trace"


def workload_config(
    name: str, trace_uri: str, *, tokenizer: str | None = None, hugging_face_secret: str | None = None
) -> dict[str, Any]:
    """The request of CreateAIWorkloadConfig for a trace that ``warmroute convert --to aiperf`` has written.

    Args:
        name: Of the workload configuration.
        trace_uri: Where the trace is: ``s3://bucket/folder/trace.jsonl``. The whole folder is brought to the machine.
        tokenizer: A model's name on Hugging Face; its tokenizer counts tokens.
        hugging_face_secret: ARN of a secret of Secrets Manager with the token for that, if the model is gated.

    Raises:
        WarmrouteError: A value that SageMaker would refuse.
    """
    parts = urlsplit(trace_uri)
    folder, _, file = parts.path.rpartition("/")
    if parts.scheme != "s3" or not parts.netloc or not file.endswith(".jsonl"):
        raise WarmrouteError(f"{trace_uri}: not the S3 URI of a trace.", "Give s3://bucket/folder/trace.jsonl.")
    parameters = {
        "custom_dataset_type": "mooncake_trace",
        "dataset_sampling_strategy": "sequential",
        "input_file": f"/opt/ml/input/data/{CHANNEL}/{file}",
        "streaming": True,
        **({"tokenizer": tokenizer} if tokenizer else {}),
    }
    specification = {
        "benchmark": {"type": "aiperf"},
        "parameters": parameters,
        "tooling": {"api_standard": "openai"},
        **({"secrets": {"hf_token": hugging_face_secret}} if hugging_face_secret else {}),
    }
    source = {"S3DataSource": {"S3Uri": f"s3://{parts.netloc}{folder}/"}}
    return _checked(
        "CreateAIWorkloadConfig",
        {
            "AIWorkloadConfigName": name,
            "DatasetConfig": {"InputDataConfig": [{"ChannelName": CHANNEL, "DataSource": source}]},
            "AIWorkloadConfigs": {"WorkloadSpec": {"Inline": canonical_json(specification).decode()}},
        },
    )


def benchmark_job(
    name: str,
    *,
    workload: str,
    endpoint: str,
    role_arn: str,
    results_uri: str,
    inference_components: Sequence[str] = (),
) -> dict[str, Any]:
    """The request of CreateAIBenchmarkJob.

    Args:
        name: Of the job.
        workload: Name or ARN of the workload configuration.
        endpoint: Name or ARN of the endpoint.
        role_arn: The role that the job takes: it reads the trace, invokes the endpoint and writes the results.
        results_uri: Where the results go, ``s3://…``.
        inference_components: Those to ask, on an endpoint that has such.

    Raises:
        WarmrouteError: A value that SageMaker would refuse.
    """
    target: dict[str, Any] = {"Identifier": endpoint}
    if inference_components:
        target["InferenceComponents"] = [{"Identifier": each} for each in inference_components]
    return _checked(
        "CreateAIBenchmarkJob",
        {
            "AIBenchmarkJobName": name,
            "BenchmarkTarget": {"Endpoint": target},
            "OutputConfig": {"S3OutputLocation": results_uri},
            "AIWorkloadConfigIdentifier": workload,
            "RoleArn": role_arn,
        },
    )


def _checked(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """The request, if it has the form that botocore's model of SageMaker describes."""
    faults = violations(operation, request)
    if faults:
        raise WarmrouteError(f"{operation}: {'; '.join(faults)}.", "Give values that SageMaker allows.")
    return request
