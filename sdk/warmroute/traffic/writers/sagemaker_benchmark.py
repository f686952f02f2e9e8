"""A SageMaker AI benchmark job that replays a trace: the requests to make it with.

The job runs AIPerf on a managed machine, against an endpoint. It sends a trace in AIPerf's form of Mooncake's at its
own times, since neither rate nor concurrency is given and its lines have times. Source: the workload specification's
reference in SageMaker's developer guide; aiperf 0.13 (``--disable-auto-fixed-schedule``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from warmroute.errors import WarmrouteError
from warmroute.prefix import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    from botocore.session import Session
    from botocore.validate import ParamValidator

    shape = Session().get_service_model("sagemaker").operation_model(operation).input_shape
    report = ParamValidator().validate(request, shape)
    if report.has_errors():
        raise WarmrouteError(f"{operation}: {report.generate_report()}.")
    for where, value, pattern in _patterns(shape, request, ""):
        if not re.fullmatch(pattern, value):
            raise WarmrouteError(f"{operation}: {where}: {value!r} does not match {pattern}.", "Give one that does.")
    return request


def _patterns(shape: Any, value: Any, where: str) -> Iterator[tuple[str, str, str]]:
    """Each text that has a pattern, with its place; botocore's validator looks at types and lengths only."""
    if shape.type_name == "structure":
        for name, each in value.items():
            yield from _patterns(shape.members[name], each, f"{where}.{name}".lstrip("."))
    elif shape.type_name == "list":
        for number, each in enumerate(value):
            yield from _patterns(shape.member, each, f"{where}[{number}]")
    elif "pattern" in shape.metadata:
        yield where, value, shape.metadata["pattern"]
