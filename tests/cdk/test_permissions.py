"""The execution role may do what the spec names, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk.assertions import Annotations, Match
from aws_cdk.aws_ecr_assets import DockerImageAsset
from cdk.synthesis import endpoint_of, resources_of, template_of
from render.specs import SPECS, WITHOUT_ROLE

from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.render.cloudformation import cloudformation_resources
from warmroute_cdk import ExecutionPolicy, VllmEndpoint
from warmroute_cdk.permissions import permissions

KEY = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"


def allowed(spec: EndpointSpec) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    found = permissions(spec.name, cloudformation_resources(spec))
    return {each.sid: (each.actions, each.resources) for each in found}


def test_a_model_of_the_hub_needs_its_image_and_somewhere_to_write_logs():
    found = allowed(WITHOUT_ROLE)
    assert found.keys() == {"PullImages", "LogInToRegistry", "WriteLogs", "PublishMetrics"}
    assert found["PullImages"][1] == ("arn:{partition}:ecr:us-east-1:763104351884:repository/vllm",)
    assert found["WriteLogs"][1] == (
        "arn:{partition}:logs:{region}:{account}:log-group:/aws/sagemaker/Endpoints/support-bot:*",
    )


def test_artefacts_are_read_and_found_in_their_buckets_alone():
    found = allowed(SPECS["components"])
    assert found["ReadArtefacts"] == (
        ("s3:GetObject",),
        (
            "arn:{partition}:s3:::models/draft.tar.gz",
            "arn:{partition}:s3:::models/foreign.tar.gz",
            "arn:{partition}:s3:::models/legal.tar.gz",
            "arn:{partition}:s3:::models/llama-70b/*",
        ),
    )
    assert found["FindArtefacts"][1] == ("arn:{partition}:s3:::models",)
    repositories = found["PullImages"][1]
    assert "arn:{partition}:ecr:us-west-2:123456789012:repository/vllm" in repositories
    assert "/aws/sagemaker/InferenceComponents/llama:*" in " ".join(found["WriteLogs"][1])


def test_network_interfaces_are_made_in_the_spec_s_subnets_and_groups_alone():
    found = allowed(SPECS["components"])
    ec2 = "arn:{partition}:ec2:{region}:{account}"
    assert found["AttachToVpc"] == (
        ("ec2:CreateNetworkInterface",),
        (
            f"{ec2}:network-interface/*",
            f"{ec2}:subnet/subnet-0a1b2c3d",
            f"{ec2}:subnet/subnet-1a2b3c4d",
            f"{ec2}:security-group/sg-0a1b2c3d",
        ),
    )
    assert "AttachToVpc" not in allowed(SPECS["demo"])


def test_records_keys_topics_and_registries_of_the_spec():
    found = allowed(SPECS["everything"])
    assert set(found["WriteRecords"][1]) == {
        f"arn:{{partition}}:s3:::{prefix}/x/*" for prefix in ("answers", "captured", "dumps", "failures")
    }
    assert found["EncryptRecordsByAlias"][1] == ("arn:{partition}:kms:{region}:{account}:key/*",)
    assert found["GrantVolumeKey"] == (("kms:CreateGrant",), (KEY,))
    topics = {"arn:aws:sns:us-east-1:123456789012:bad", "arn:aws:sns:us-east-1:123456789012:good"}
    assert set(found["NotifyTopics"][1]) == topics
    assert found["LogInToPrivateRegistry"][1] == ("arn:aws:lambda:us-east-1:123456789012:function:login",)


def test_only_login_metrics_and_describing_are_allowed_on_everything():
    for spec in SPECS.values():
        for each in permissions(spec.name, cloudformation_resources(spec)):
            if "*" in each.resources:
                assert each.sid in {"LogInToRegistry", "PublishMetrics", "DescribeVpc"}
            assert not any("*" in action for action in each.actions)
            assert bool(each.wildcard_reason) >= any("*" in arn for arn in each.resources)


@pytest.mark.parametrize(
    "url",
    [
        "https://models.s3.us-east-1.amazonaws.com/a/model.tar.gz",
        "https://s3.us-east-1.amazonaws.com/models/a/model.tar.gz",
        "s3://models/a/model.tar.gz",
    ],
)
def test_artefacts_by_https_are_those_of_their_bucket(url):
    spec = parse_spec(f"""
name: bot
region: us-east-1
model: {{primary_container: {{image: "busybox:1", model_data_url: "{url}"}}}}
variants: [{{name: main, instance_type: ml.m5.xlarge, initial_instance_count: 1}}]
""")
    found = allowed(spec)
    assert found["ReadArtefacts"][1] == ("arn:{partition}:s3:::models/a/model.tar.gz",)
    assert "PullImages" not in found


def test_secrets_in_variables_and_shells_are_allowed_where_the_spec_asks_for_them():
    secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:token-AbCdEf"
    spec = parse_spec(f"""
name: bot
region: us-east-1
model: {{source: {{hugging_face: a/b}}, environment: {{TOKEN_SECRET: "{secret}"}}}}
variants: [{{name: main, instance_type: ml.g5.xlarge, initial_instance_count: 1, enable_ssm_access: true}}]
""")
    found = allowed(spec)
    assert found["ReadSecrets"] == (("secretsmanager:GetSecretValue",), (secret,))
    assert "ssmmessages:OpenDataChannel" in found["OpenShells"][0]


def test_the_policy_alone_is_attached_to_nothing():
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    made = ExecutionPolicy(stack, "Policy", spec=SPECS["demo"])
    made.cfn_managed_policies[0].path = "/serving/"
    (policy,) = resources_of(template_of(stack), "AWS::IAM::ManagedPolicy")
    assert "Roles" not in policy["Properties"]
    assert "ManagedPolicyName" not in policy["Properties"]
    assert policy["Properties"]["Path"] == "/serving/"


def test_conditions_and_sids_reach_the_template():
    (policy,) = resources_of(template_of(endpoint_of(WITHOUT_ROLE)), "AWS::IAM::ManagedPolicy")
    by_sid: dict[str, Any] = {each["Sid"]: each for each in policy["Properties"]["PolicyDocument"]["Statement"]}
    namespaces = by_sid["PublishMetrics"]["Condition"]["StringLike"]["cloudwatch:namespace"]
    assert namespaces == ["/aws/sagemaker/*", "AWS/SageMaker"]


def test_an_image_whose_repository_is_not_known_is_said(tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM scratch\n", encoding="utf-8")
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    asset = DockerImageAsset(stack, "Image", directory=str(tmp_path))
    model = {"image": {"uri": asset.image_uri}, "source": {"hugging_face": "a/b"}}
    spec = EndpointSpec.parse({**WITHOUT_ROLE.model_dump(exclude_none=True), "model": model})
    endpoint = VllmEndpoint(stack, "Bot", spec=spec)
    assert endpoint.role is not None
    asset.repository.grant_pull(endpoint.role)
    Annotations.from_stack(stack).has_warning("*", Match.string_like_regexp("repository is known at deployment only"))
    (model_made,) = resources_of(template_of(stack), "AWS::SageMaker::Model")
    assert any("DefaultPolicy" in name for name in model_made["DependsOn"])


def test_a_model_package_whose_artefacts_are_not_known_is_said():
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    ExecutionPolicy(stack, "Policy", spec=SPECS["everything"])
    expected = "model-package/llama/1: the model package says where its artefacts are"
    Annotations.from_stack(stack).has_warning("/Test/Policy", Match.string_like_regexp(expected))
