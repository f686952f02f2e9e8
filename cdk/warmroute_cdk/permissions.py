"""What the execution role of a spec must be allowed, and no more."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warmroute.render.resource import Kind
from warmroute_cdk.needs import ECR_IMAGE, Need, Needs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from warmroute.render.resource import Resource


@dataclass(frozen=True, slots=True)
class Permission:
    """Actions on resources, as one statement of a policy.

    ARNs are templates with ``{partition}``, ``{region}`` and ``{account}``, those of the stack.
    """

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    wildcard_reason: str = ""
    """Why a resource has a wildcard, for whoever reviews the policy."""

    conditions: Mapping[str, Any] = field(default_factory=dict)


def permissions(name: str, resources: Sequence[Resource]) -> list[Permission]:
    """The permissions that SageMaker and the containers of an endpoint use.

    Source: SageMaker guide, execution roles: permissions of CreateModel; asynchronous inference; data capture; SSM
    access.

    Args:
        name: Name of the endpoint.
        resources: Its resources, with their final values.
    """
    needs = Needs(resources)
    components = [resource.label for resource in resources if resource.kind == Kind.INFERENCE_COMPONENT]
    return [*_images(needs), *_data(needs), *_operation(name, components), *_network(needs), *_helpers(needs)]


def unknown_sources(resources: Sequence[Resource]) -> list[str]:
    """What a role must be allowed although the resources do not say where it is, each in a sentence.

    Args:
        resources: Resources with their final values.
    """
    needs = Needs(resources)
    images = [image for image in needs[Need.IMAGE] if "${Token[" in image and not ECR_IMAGE.match(image)]
    pull = "its repository is known at deployment only. Let the role pull it: repository.grant_pull(endpoint.role)."
    read = "the model package says where its artefacts are. Let the role read them: bucket.grant_read(endpoint.role)."
    return [*(f"{image}: {pull}" for image in images), *(f"{name}: {read}" for name in needs[Need.PACKAGE])]


def _images(needs: Needs) -> Iterator[Permission]:
    repositories = [
        f"arn:{{partition}}:ecr:{found[2]}:{found[1]}:repository/{found[3]}"
        for image in needs[Need.IMAGE]
        if (found := ECR_IMAGE.match(image))
    ]
    if repositories:
        pull = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
        yield Permission("PullImages", pull, _once(repositories))
        why = "ecr:GetAuthorizationToken takes no resource."
        yield Permission("LogInToRegistry", ("ecr:GetAuthorizationToken",), ("*",), why)


def _data(needs: Needs) -> Iterator[Permission]:
    objects, prefixes = needs[Need.READ_OBJECT], needs[Need.READ_PREFIX]
    if objects or prefixes:
        arns = [*(_s3_arn(url) for url in objects), *(f"{_s3_arn(url)}*" for url in prefixes)]
        why = "An artefact that is a prefix has objects of any name."
        yield Permission("ReadArtefacts", ("s3:GetObject",), _once(arns), why)
        buckets = [_bucket_arn(url) for url in (*objects, *prefixes)]
        yield Permission("FindArtefacts", ("s3:GetBucketLocation", "s3:ListBucket"), _once(buckets))
    if needs[Need.WRITTEN]:
        arns = [f"{_s3_arn(url).rstrip('/')}/*" for url in needs[Need.WRITTEN]]
        yield Permission("WriteRecords", ("s3:PutObject",), _once(arns), "SageMaker names the records.")
    use = ("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey")
    yield from _key_permissions("EncryptRecords", use, needs[Need.DATA_KEY], {})
    yield from _key_permissions("FindVolumeKey", ("kms:DescribeKey",), needs[Need.VOLUME_KEY], {})
    for_aws = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    yield from _key_permissions("GrantVolumeKey", ("kms:CreateGrant",), needs[Need.VOLUME_KEY], for_aws)


def _key_permissions(
    sid: str, actions: tuple[str, ...], keys: Sequence[str], conditions: Mapping[str, Any]
) -> Iterator[Permission]:
    aliases = [key for key in keys if key.startswith("alias/")]
    arns = [key if ":" in key or "${Token[" in key else _key_arn(key) for key in keys if key not in aliases]
    if arns:
        yield Permission(sid, actions, tuple(arns), conditions=conditions)
    if aliases:
        why = "A policy cannot name a key by its alias; the condition does."
        only = {**conditions, "ForAnyValue:StringEquals": {"kms:ResourceAliases": aliases}}
        yield Permission(f"{sid}ByAlias", actions, (_key_arn("*"),), why, only)


def _operation(name: str, components: Iterable[str]) -> Iterator[Permission]:
    groups = [
        f"/aws/sagemaker/Endpoints/{name}",
        *(f"/aws/sagemaker/InferenceComponents/{each}" for each in components),
    ]
    yield Permission(
        "WriteLogs",
        ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"),
        tuple(f"arn:{{partition}}:logs:{{region}}:{{account}}:log-group:{group}:*" for group in groups),
        "SageMaker names a log stream after variant and instance.",
    )
    yield Permission(
        "PublishMetrics",
        ("cloudwatch:PutMetricData",),
        ("*",),
        "cloudwatch:PutMetricData takes no resource; the condition limits it to SageMaker's namespaces.",
        {"StringLike": {"cloudwatch:namespace": ["/aws/sagemaker/*", "AWS/SageMaker"]}},
    )


_EC2 = "arn:{partition}:ec2:{region}:{account}"


def _network(needs: Needs) -> Iterator[Permission]:
    if not needs[Need.SUBNET]:
        return
    interfaces = f"{_EC2}:network-interface/*"
    yield Permission(
        "AttachToVpc",
        ("ec2:CreateNetworkInterface",),
        (
            interfaces,
            *(f"{_EC2}:subnet/{each}" for each in needs[Need.SUBNET]),
            *(f"{_EC2}:security-group/{each}" for each in needs[Need.SECURITY_GROUP]),
        ),
        "EC2 names the network interface as it makes it.",
    )
    yield Permission(
        "KeepNetworkInterfaces",
        (
            "ec2:CreateNetworkInterfacePermission",
            "ec2:DeleteNetworkInterface",
            "ec2:DeleteNetworkInterfacePermission",
        ),
        (interfaces,),
        "EC2 names the network interface as it makes it.",
    )
    yield Permission(
        "DescribeVpc",
        (
            "ec2:DescribeDhcpOptions",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeSubnets",
            "ec2:DescribeVpcs",
        ),
        ("*",),
        "EC2's describing actions take no resource.",
    )


def _helpers(needs: Needs) -> Iterator[Permission]:
    for sid, action, arns in (
        ("NotifyTopics", "sns:Publish", needs[Need.TOPIC]),
        ("LogInToPrivateRegistry", "lambda:InvokeFunction", needs[Need.FUNCTION]),
        ("ReadSecrets", "secretsmanager:GetSecretValue", needs[Need.SECRET]),
        ("ReadHub", "sagemaker:DescribeHubContent", needs[Need.HUB_CONTENT]),
    ):
        if arns:
            yield Permission(sid, (action,), arns)
    if needs.opens_shells:
        channels = ("CreateControlChannel", "CreateDataChannel", "OpenControlChannel", "OpenDataChannel")
        why = "The channels of Session Manager take no resource."
        yield Permission("OpenShells", tuple(f"ssmmessages:{each}" for each in channels), ("*",), why)


def _bucket_arn(url: str) -> str:
    return "arn:{partition}:s3:::" + _location(url).partition("/")[0]


def _s3_arn(url: str) -> str:
    return f"arn:{{partition}}:s3:::{_location(url)}"


_HOST = re.compile(r"https://(?:s3[.-][^/]*amazonaws\.com[^/]*/|([^/]+?)\.s3[.-][^/]*amazonaws\.com[^/]*/?)")


def _location(url: str) -> str:
    """Bucket and key of an ``s3://`` address, or of an ``https://`` one of either style."""
    hosted = _HOST.match(url)
    if hosted is None:
        return url.partition("://")[2]
    rest = url[hosted.end() :]
    return f"{hosted[1]}/{rest}" if hosted[1] else rest


def _key_arn(key: str) -> str:
    return f"arn:{{partition}}:kms:{{region}}:{{account}}:key/{key}"


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
