"""``warmroute render``: a spec as input of another tool."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from warmroute.cli.documents import read_spec
from warmroute.cli.output import SpecArgument, print_json


class Target(StrEnum):
    """What a spec can be rendered as."""

    BOTO3 = "boto3"
    CLOUDFORMATION = "cloudformation"
    TERRAFORM = "terraform"
    SAGEMAKER_CORE = "sagemaker-core"


def render(
    spec: SpecArgument,
    to: Annotated[Target, typer.Option("--to", help="What to print.")],
    region: Annotated[str | None, typer.Option(help="AWS region, instead of the spec's.")] = None,
) -> None:
    """Print a spec as boto3 calls, a CloudFormation template, a Terraform configuration or sagemaker-core shapes.

    Everything is JSON.

    Example: warmroute render endpoint.yaml --to cloudformation > template.json
    """
    from warmroute import render as renderings

    document = read_spec(spec)
    if region:
        document = document.model_copy(update={"region": region})
    match to:
        case Target.BOTO3:
            print_json([call.as_dict() for call in renderings.to_boto3(document)])
        case Target.CLOUDFORMATION:
            print_json(renderings.to_cloudformation(document))
        case Target.TERRAFORM:
            print_json(renderings.to_terraform(document))
        case Target.SAGEMAKER_CORE:
            print_json([call.as_dict() for call in renderings.to_sagemaker_core(document)])
