"""A spec in the words of each target: boto3 calls, CloudFormation, Terraform (awscc), sagemaker-core."""

from warmroute.render.boto3_calls import Call, to_boto3
from warmroute.render.cloudformation import to_cloudformation
from warmroute.render.sagemaker_core import Creation, to_sagemaker_core
from warmroute.render.terraform import to_terraform
from warmroute.render.unsupported import UnsupportedByTargetError

__all__ = [
    "Call",
    "Creation",
    "UnsupportedByTargetError",
    "to_boto3",
    "to_cloudformation",
    "to_sagemaker_core",
    "to_terraform",
]
