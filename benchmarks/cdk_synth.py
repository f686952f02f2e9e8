"""CPU time of the CDK app for the example spec, against the same resources written by hand as L1 constructs."""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.report import line
from warmroute.demo import example_spec_text

RUNS = 5
BY_HAND = """
from warmroute_cdk.node import use_bundled_node

use_bundled_node()

from aws_cdk import App, CfnOutput, Environment, Stack
from aws_cdk.aws_sagemaker import CfnEndpoint, CfnEndpointConfig, CfnModel

app = App()
stack = Stack(app, "support-bot", env=Environment(region="us-east-1"))
model = CfnModel(
    stack,
    "Model",
    execution_role_arn="arn:aws:iam::123456789012:role/sagemaker-execution",
    primary_container=CfnModel.ContainerDefinitionProperty(
        image="763104351884.dkr.ecr.us-east-1.amazonaws.com/vllm:0.30.0-gpu-py312-cu130-ubuntu24.04-sagemaker",
        environment={
            "SM_VLLM_MODEL": "meta-llama/Llama-3.1-70B-Instruct",
            "SM_VLLM_TENSOR_PARALLEL_SIZE": "8",
            "SM_VLLM_MAX_NUM_SEQS": "64",
            "SM_VLLM_ENABLE_PROMPT_TOKENS_DETAILS": "true",
        },
    ),
)
config = CfnEndpointConfig(
    stack,
    "EndpointConfig",
    production_variants=[
        CfnEndpointConfig.ProductionVariantProperty(
            variant_name="main",
            model_name=model.attr_model_name,
            instance_type="ml.p5.48xlarge",
            initial_instance_count=7,
            initial_variant_weight=1,
            container_startup_health_check_timeout_in_seconds=3600,
            inference_ami_version="al2023-ami-sagemaker-inference-gpu-4-1",
            routing_config=CfnEndpointConfig.RoutingConfigProperty(
                routing_strategy="PREFIX_AWARE",
                prefix_aware_routing_config=CfnEndpointConfig.PrefixAwareRoutingConfigProperty(
                    prefix_length=4096, concurrency_threshold=16
                ),
            ),
        )
    ],
)
endpoint = CfnEndpoint(
    stack, "Endpoint", endpoint_name="support-bot", endpoint_config_name=config.attr_endpoint_config_name
)
CfnOutput(stack, "EndpointName", value=endpoint.attr_endpoint_name)
CfnOutput(stack, "EndpointArn", value=endpoint.ref)
app.synth()
"""


def run() -> None:
    """Whole processes, taken in turn, with the Node.js that each starts; both make the same types of resources."""
    with tempfile.TemporaryDirectory() as folder:
        spec, by_hand = Path(folder, "endpoint.yaml"), Path(folder, "by_hand.py")
        spec.write_text(example_spec_text(), encoding="utf-8")
        by_hand.write_text(BY_HAND, encoding="utf-8")
        commands = {"ours": ["-m", "warmroute_cdk.app"], "by-hand": [str(by_hand)]}
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, command in commands.items():
                times[name].append(_cpu_seconds(command, spec, Path(folder, name)))
        made = {name: _types(Path(folder, name)) for name in commands}
    if made["ours"] != made["by-hand"]:
        raise AssertionError(f"The two apps differ: {made}")
    line("CDK app / L1s by hand, CPU time", min(times["ours"]), min(times["by-hand"]), 1.15)


def _cpu_seconds(command: list[str], spec: Path, out: Path) -> float:
    """CPU time of a process and of those that it has waited for; what else the machine does is no part of it."""
    env = {**os.environ, "CDK_CONTEXT_JSON": json.dumps({"spec": str(spec)}), "CDK_OUTDIR": str(out)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _types(out: Path) -> list[str]:
    template = json.loads((out / "support-bot.template.json").read_text("utf-8"))
    return sorted(each["Type"] for each in template["Resources"].values())
