"""CloudFormation's names in the spelling of Terraform's awscc provider."""

from __future__ import annotations

import re

_BEGINNINGS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])")


def attribute(name: str) -> str:
    """The attribute of a property: ``VolumeSizeInGB`` becomes ``volume_size_in_gb``, ``S3Uri`` ``s3_uri``.

    Source: ``CloudFormationPropertyToTerraformAttribute`` of terraform-provider-awscc.

    Args:
        name: Name of a property, in PascalCase.
    """
    return _BEGINNINGS.sub("_", name).lower()


def resource_type(cloudformation_type: str) -> str:
    """The resource type, ``awscc_sagemaker_endpoint_config`` of ``AWS::SageMaker::EndpointConfig``.

    Args:
        cloudformation_type: CloudFormation's type.
    """
    _, service, resource = cloudformation_type.split("::")
    return f"awscc_{service.lower()}_{attribute(resource)}"
