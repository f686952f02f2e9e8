"""Findings of policy checkers such as cdk-nag that are weighed here, each with its reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aws_cdk import Acknowledgment, Stack, Token, Validations

from warmroute.hosting import instance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from constructs import Construct

    from warmroute.hosting import EndpointSpec

PACKS_WITH_VOLUME_RULE = ("HIPAA.Security", "NIST.800.53.R4", "NIST.800.53.R5", "PCI.DSS.321")
"""Packs of cdk-nag that ask for a key of the endpoint's volumes."""


def acknowledge(construct: Construct, reasons: Mapping[str, str]) -> None:
    """Record findings that are meant to be.

    Args:
        construct: What the findings are about; those of its children count too.
        reasons: Reason by id of the finding.
    """
    rules = [Acknowledgment(id=id_, reason=reason) for id_, reason in reasons.items()]
    if rules:
        Validations.of(construct).acknowledge(*rules)


def wildcard(scope: Construct, arn: str) -> str:
    """Id of cdk-nag's finding about a resource with a wildcard.

    Args:
        scope: Construct of the stack.
        arn: The resource as the policy has it.
    """
    plain = Stack.of(scope).resolve(arn) if Token.is_unresolved(arn) else arn
    return f"AwsSolutions-IAM5[Resource::{_flat(plain)}]"


def _flat(value: Any) -> str:
    """Text with references in angle brackets, as cdk-nag writes its findings (``flattenCfnReference``)."""
    match value:
        case str():
            return value.replace("${", "<").replace("}", ">")
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(_flat(part) for part in parts)
        case {"Fn::GetAtt": [resource, attribute]}:
            return f"<{resource}.{attribute}>"
        case {"Ref": name}:
            return f"<{name}>"
        case {"Fn::Sub": inner} | {"Fn::ImportValue": inner}:
            return _flat(inner)
    return json.dumps(value, separators=(",", ":"))


def volumes_without_key(spec: EndpointSpec) -> dict[str, str]:
    """The findings about volumes without a key, where every instance has local NVMe storage in place of a volume.

    Args:
        spec: The spec.

    Returns:
        Reason by id of the finding; empty where a key is given, or where one is missing.
    """
    types = sorted({name for variant in spec.all_variants for name in variant.instance_types})
    if spec.kms_key_id is not None or not types or not all(_has_local_storage(name) for name in types):
        return {}
    reason = f"{', '.join(types)}: local NVMe storage, encrypted by the hardware; SageMaker may refuse a key for it."
    return {f"{pack}-SageMakerEndpointConfigurationKMSKeyConfigured": reason for pack in PACKS_WITH_VOLUME_RULE}


def _has_local_storage(instance_type: str) -> bool:
    known = instance(instance_type)
    return known is not None and known.local_nvme
