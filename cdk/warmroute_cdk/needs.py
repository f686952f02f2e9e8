"""What the resources of a spec name that an execution role must be allowed to use."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.render.resource import Resource


class Need(StrEnum):
    """What a property of a resource may name."""

    IMAGE = "image"
    PACKAGE = "model package"
    READ_OBJECT = "object that is read"
    READ_PREFIX = "prefix that is read"
    WRITTEN = "prefix that is written"
    DATA_KEY = "key of records"
    VOLUME_KEY = "key of storage volumes"
    TOPIC = "topic"
    FUNCTION = "function"
    SECRET = "secret"  # noqa: S105 - no secret, but what is called one.
    HUB_CONTENT = "content of a hub"
    SUBNET = "subnet"
    SECURITY_GROUP = "security group"


_NAMED_BY = {
    "Image": Need.IMAGE,
    "ModelPackageName": Need.PACKAGE,
    "ArtifactUrl": Need.READ_OBJECT,
    "ShapBaselineUri": Need.READ_OBJECT,
    "DestinationS3Uri": Need.WRITTEN,
    "S3OutputPath": Need.WRITTEN,
    "S3FailurePath": Need.WRITTEN,
    "SuccessTopic": Need.TOPIC,
    "ErrorTopic": Need.TOPIC,
    "RepositoryCredentialsProviderArn": Need.FUNCTION,
    "HubContentArn": Need.HUB_CONTENT,
    "Subnets": Need.SUBNET,
    "SecurityGroupIds": Need.SECURITY_GROUP,
}


class Needs:
    """What the properties of resources name.

    Args:
        resources: Resources with their final values; texts may be tokens.
    """

    def __init__(self, resources: Iterable[Resource]) -> None:
        # In the order of the spec: tokens have no order of their own that would last.
        self._found: dict[Need, dict[str, None]] = {need: {} for need in Need}
        self.opens_shells = False
        for resource in resources:
            self._read(resource.properties, depth=0)

    def __getitem__(self, need: Need) -> tuple[str, ...]:
        """Everything of a kind that is named, once each, in the order of the spec.

        Args:
            need: The kind.
        """
        return tuple(self._found[need])

    def _read(self, properties: Mapping[str, Any], depth: int) -> None:
        for name, value in properties.items():
            if name == "Environment":
                self._found[Need.SECRET] |= dict.fromkeys(text for text in value.values() if _SECRET.match(text))
                continue
            self.opens_shells |= name == "EnableSSMAccess" and value
            need = _need(name, properties, depth)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    self._read(item, depth + 1)
                elif need:
                    self._found[need][item] = None


def _need(name: str, beside: Mapping[str, Any], depth: int) -> Need | None:
    match name:
        case "KmsKeyId":
            return Need.DATA_KEY if depth else Need.VOLUME_KEY
        case "ModelDataUrl" | "S3Uri":
            several = beside.get("Mode") == "MultiModel" or beside.get("S3DataType") == "S3Prefix"
            return Need.READ_PREFIX if several else Need.READ_OBJECT
    return _NAMED_BY.get(name)


_ATOM = r"(?:\$\{Token\[[^\]]*\]\}|[^$/.:@])+"
ECR_IMAGE = re.compile(rf"({_ATOM})\.dkr\.ecr[^.]*\.({_ATOM})\.[^/]+/((?:\$\{{Token\[[^\]]*\]\}}|[^$:@])+)")
"""Account, region and repository of an image in ECR; each may be a token."""

_SECRET = re.compile(r"arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:")
