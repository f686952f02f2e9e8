"""Cases of the checks of the model and the engine (WR3..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, SERVERLESS

URI = "registry/vllm:mine"
ON_HUB = {"model.source": {"hugging_face": "meta-llama/Llama-3.1-70B-Instruct"}}
OTHER = {"model": {"primary_container": {"image": "registry/app:1"}}}
FALSE = {"SM_VLLM_ENFORCE_EAGER": "False"}
TRUE = {"SM_VLLM_NO_ENFORCE_EAGER": "true"}
SECOND = {"name": "second", "instance_type": "ml.g5.xlarge", "initial_instance_count": 1, "model_name": "small"}
SMALL = {"source": {"s3_archive": "s3://models/small.tar.gz"}}

CASES = [
    error("WR301", "model.image", ONE_MODEL, {"model.image": {"version": "0.30.0"}}, {"model.image": {"uri": URI}}),
    error("WR301", "model.image.uri", ONE_MODEL, {"model.image.uri": URI}, {"model.image": {"uri": URI}}),
    error("WR302", "model.source", ONE_MODEL, {"model.source": {}}, {}),
    error(
        "WR302",
        "model.source",
        ONE_MODEL,
        {"model.source.s3_archive": "s3://models/llama.tar.gz"},
        {"model.source": {"s3_archive": "s3://models/llama.tar.gz"}},
    ),
    *(
        error(
            "WR303",
            "model.vllm.other_arguments.async_scheduling",
            ONE_MODEL,
            {"model.vllm.other_arguments": {"async_scheduling": lost}},
            {"model.vllm.other_arguments": {"async_scheduling": kept}},
        )
        for lost, kept in (("true", True), (" False", False), ("", True), ([], ["a"]), (None, 0))
    ),
    error("WR303", "model.vllm.revision", ONE_MODEL, {"model.vllm.revision": ""}, {"model.vllm.revision": "main"}),
    error(
        "WR304",
        "model.vllm.other_arguments.max_num_seqs",
        ONE_MODEL,
        {"model.vllm.other_arguments": {"max_num_seqs": 64}},
        {"model.vllm.other_arguments": {"max_num_seq": 64}},
    ),
    error(
        "WR305",
        "model.environment.SM_VLLM_MAX_NUM_SEQS",
        ONE_MODEL,
        {"model.environment": {"SM_VLLM_MAX_NUM_SEQS": "64"}},
        {"model.environment": {"SM_VLLM_MAX_NUM_SEQS": "64"}, "model.vllm.max_num_seqs": DROP},
    ),
    error(
        "WR305",
        "model.environment.SM_VLLM_NO_ENFORCE_EAGER",
        ONE_MODEL,
        {"model.environment": TRUE, "model.vllm.enforce_eager": True},
        {"model.environment": TRUE},
    ),
    error(
        "WR305",
        "model.environment.SM_VLLM_MODEL",
        ONE_MODEL,
        {**ON_HUB, "model.environment": {"SM_VLLM_MODEL": "meta-llama/Llama-3.1-8B-Instruct"}},
        {**ON_HUB, "model.environment": {"HF_TOKEN": "secret"}},
    ),
    warning(
        "WR306",
        "model.environment.SM_VLLM_ENFORCE_EAGER",
        ONE_MODEL,
        {"model.environment": FALSE},
        {"model.environment": TRUE},
    ),
    warning(
        "WR306",
        "model.primary_container.environment.SM_VLLM_ENFORCE_EAGER",
        ONE_MODEL,
        {**OTHER, "model.primary_container.environment": FALSE},
        {**OTHER, "model.primary_container.environment": TRUE},
    ),
    warning(
        "WR306",
        "models.small.environment.SM_VLLM_ENFORCE_EAGER",
        ONE_MODEL,
        {"models": {"small": {**SMALL, "environment": FALSE}}, "variants[1]": SECOND},
        {"models": {"small": {**SMALL, "environment": TRUE}}, "variants[1]": SECOND},
    ),
    warning(
        "WR306",
        "inference_components[0].specification.container.environment.SM_VLLM_ENFORCE_EAGER",
        COMPONENTS,
        {"inference_components[0].specification.container": {"image": URI, "environment": FALSE}},
        {"inference_components[0].specification.container": {"image": URI, "environment": TRUE}},
    ),
    error(
        "WR307",
        "variants[0].instance_type",
        ONE_MODEL,
        {"model.vllm.pipeline_parallel_size": 2},
        {"model.vllm.pipeline_parallel_size": 2, "model.vllm.tensor_parallel_size": 4},
    ),
    error(
        "WR307",
        "variants[0].instance_pools",
        ONE_MODEL,
        {
            "variants[0].instance_type": DROP,
            "variants[0].instance_pools": [{"instance_type": "ml.p5.4xlarge", "priority": 1}],
        },
        {
            "variants[0].instance_type": DROP,
            "variants[0].instance_pools": [{"instance_type": "ml.p4d.24xlarge", "priority": 1}],
        },
    ),
    error(
        "WR307",
        "variants[0].instance_type",
        COMPONENTS,
        {"model.vllm.tensor_parallel_size": 9},
        {"model.vllm.tensor_parallel_size": 8},
    ),
    error(
        "WR308",
        "variants[0].inference_ami_version",
        ONE_MODEL,
        {"variants[0].inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1"},
        {"variants[0].inference_ami_version": "al2023-ami-sagemaker-inference-gpu-4-1"},
    ),
    error(
        "WR308",
        "variants[0].inference_ami_version",
        ONE_MODEL,
        {
            "model": {"primary_container": {"image": "registry/app:1-cu130"}},
            "variants[0].inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1",
        },
        {
            "model": {"primary_container": {"image": "registry/app:1-cu129"}},
            "variants[0].inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1",
        },
    ),
    error(
        "WR309",
        "model.source.hugging_face",
        ONE_MODEL,
        {**ON_HUB, "enable_network_isolation": True},
        {"enable_network_isolation": True},
    ),
    error(
        "WR309",
        "models.small.source.hugging_face",
        ONE_MODEL,
        {
            "models": {"small": {"source": {"hugging_face": "org/small"}}},
            "variants[1]": SECOND,
            "enable_network_isolation": True,
        },
        {
            "models": {"small": {"source": {"hugging_face": "org/small"}}},
            "variants[1]": SECOND,
            "enable_network_isolation": False,
        },
    ),
    error("WR310", "model", SERVERLESS, {"model.containers": [{"image": "registry/app:1"}]}, {}),
    error("WR310", "model", SERVERLESS, {"model": {}}, {"model": {"containers": [{"image": "registry/app:1"}]}}),
    error("WR311", "model.image", ONE_MODEL, {"model.image.version": "0.30.1"}, {"model.image.version": "0.30"}),
    error("WR311", "model.image", ONE_MODEL, {"region": "cn-north-1"}, {"region": "eu-west-1"}),
]
