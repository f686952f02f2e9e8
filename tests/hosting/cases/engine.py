"""Cases of the checks of the model and the engine (WR3..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.cases.components import MANY, SECOND_OF_MANY
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, SERVERLESS, changed

URI = "registry/vllm:mine"
ON_HUB = {"model.source": {"hugging_face": "meta-llama/Llama-3.1-70B-Instruct"}}
OTHER = {"model": {"primary_container": {"image": "registry/app:1"}}}
SEVERAL = {"model": {"containers": [{"image": "registry/app:1"}, {"image": "registry/app:2"}]}}
FALSE = {"SM_VLLM_ENFORCE_EAGER": "False"}
TRUE = {"SM_VLLM_NO_ENFORCE_EAGER": "true"}
SECOND = {"name": "second", "instance_type": "ml.g5.xlarge", "initial_instance_count": 1, "model_name": "small"}
MOST_BYTES = {f"A{number:02}": "x" * 1_021 for number in range(31)} | {"A31": "x" * 19}
"""All that a container's variables may have, but for 1,002 bytes."""
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
    *(
        error(
            "WR303",
            "model.vllm.chat_template",
            ONE_MODEL,
            {"model.vllm.chat_template": lost},
            {"model.vllm.chat_template": kept},
        )
        for lost, kept in (
            ("-1e-5", "1e-5"),
            ("--x", " --x"),
            ("[1, 2]", "[1, 2"),
            ("[]", "[x]"),
            ("{} {}", "{}"),
            (' {"a":1}{"b":2} ', '{"a":1}{"b":2'),
        )
    ),
    *(
        error(
            "WR303",
            "model.vllm.other_arguments.scale",
            ONE_MODEL,
            {"model.vllm.other_arguments": {"scale": lost}},
            {"model.vllm.other_arguments": {"scale": kept}},
        )
        for lost, kept in ((["a", "-b"], ["a", "b-"]), (-1e-9, -0.5), ("-1", -1), (10**5_000, 10**1_000))
    ),
    *(
        error(
            "WR304",
            f"model.vllm.other_arguments.{twice}",
            ONE_MODEL,
            {"model.vllm.other_arguments": {twice: value, "async_scheduling": True}},
            {"model.vllm.other_arguments": {"async_scheduling": True}},
        )
        for twice, value in (
            ("no_enable_prefix_caching", True),
            ("model", "c/d"),
            ("port", 80),
            ("no_async_scheduling", True),
        )
    ),
    *(
        error(
            "WR305",
            f"model.environment.{twice}",
            ONE_MODEL,
            {**others, "model.environment": {twice: "true", "SM_VLLM_ENABLE_LORA": "true"}},
            {"model.environment": {"SM_VLLM_ENABLE_LORA": "true"}},
        )
        for twice, others in (
            ("SM_VLLM_NO_ENABLE_LORA", {}),
            ("SM_VLLM_NO_ENFORCE_EAGER", {"model.vllm.enforce_eager": False}),
            ("SM_VLLM_NO_ASYNC_SCHEDULING", {"model.vllm.other_arguments": {"async_scheduling": True}}),
            ("SM_VLLM_PORT", {}),
        )
    ),
    error(
        "WR305",
        "model.environment.SM_VLLM_PORT",
        ONE_MODEL,
        {"model.environment": {"HF_TOKEN": "secret", "SM_VLLM_PORT": "80"}},
        {"model.environment": {"HF_TOKEN": "secret", "PORT": "80"}},
    ),
    warning(
        "WR306",
        "inference_components[0].specifications[1].container.environment.SM_VLLM_ENFORCE_EAGER",
        changed(COMPONENTS, MANY),
        {f"{SECOND_OF_MANY}.container": {"image": URI, "environment": FALSE}},
        {f"{SECOND_OF_MANY}.container": {"image": URI, "environment": TRUE}},
    ),
    error(
        "WR312",
        "model",
        ONE_MODEL,
        {"model.vllm": {"other_arguments": {f"a{number}": number for number in range(101)}}},
        {"model.vllm": {"other_arguments": {f"a{number}": number for number in range(100)}}},
    ),
    error(
        "WR312",
        "model",
        ONE_MODEL,
        {"model.environment": {f"A{number}": "é" * 512 for number in range(32)}},
        {"model.environment": {f"A{number}": "é" * 512 for number in range(31)}},
    ),
    error(
        "WR312",
        "model",
        ONE_MODEL,
        {"model.vllm": DROP, "model.environment": MOST_BYTES | {"B": "é" * 501}},
        {"model.vllm": DROP, "model.environment": MOST_BYTES | {"B": "é" * 500 + "x"}},
    ),
    error(
        "WR312",
        "model.vllm.chat_template",
        ONE_MODEL,
        {"model.vllm.chat_template": "x" * 1_025},
        {"model.vllm.chat_template": "x" * 1_024},
    ),
    error(
        "WR312",
        f"model.vllm.other_arguments.{'a' * 1_017}",
        ONE_MODEL,
        {"model.vllm.other_arguments": {"a" * 1_017: 1}},
        {"model.vllm.other_arguments": {"a" * 1_016: 1}},
    ),
    *(
        error(
            "WR313",
            f"model.source.{consent}",
            ONE_MODEL,
            {"model.source": {place: name, consent: value}},
            {"model.source": {"s3_prefix": "s3://models/llama/", consent: value}},
        )
        for place, name in (("hugging_face", "a/b"), ("model_package", "llama"))
        for consent, value in (
            ("model_access_config", {"accept_eula": True}),
            ("hub_access_config", {"hub_content_arn": "a"}),
        )
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
        {"model.environment": {"SM_VLLM_MODEL": "/opt/ml/model/llama"}},
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
    *(
        warning(
            "WR306",
            f"model.containers[{position}].environment.SM_VLLM_ENFORCE_EAGER",
            ONE_MODEL,
            {**SEVERAL, f"model.containers[{position}].environment": FALSE},
            {**SEVERAL, f"model.containers[{position}].environment": TRUE},
        )
        for position in (0, 1)
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
        "variants[0].instance_type",
        ONE_MODEL,
        {"model.vllm.data_parallel_size": 3, "model.vllm.tensor_parallel_size": 3},
        {"model.vllm.data_parallel_size": 2, "model.vllm.tensor_parallel_size": 4},
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
        changed(ONE_MODEL, {"region": DROP}),
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
