"""The resource types that stacks can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.types import (
    autoscaling,
    cloudwatch,
    ecr,
    iam,
    kms,
    logs,
    recorded,
    s3,
    sagemaker,
    secretsmanager,
    sns,
    ssm,
)
from warmroute.local.cloudformation.types.moto import moto_has, moto_type

if TYPE_CHECKING:
    from warmroute.local.cloudformation.types.base import ResourceType

_MODULES = (sagemaker, autoscaling, cloudwatch, iam, kms, sns, logs, s3, secretsmanager, ssm, ecr, recorded)

SUPPORTED: dict[str, ResourceType] = {kind.name: kind for module in _MODULES for kind in module.TYPES}
"""Types that are made by the calls with which a user makes them."""


def is_supported(name: str) -> bool:
    """Whether a stack can have resources of a type."""
    return name in SUPPORTED or moto_has(name)


def type_of(name: str) -> ResourceType:
    """The type of a name, one that is supported."""
    return SUPPORTED[name] if name in SUPPORTED else moto_type(name)
