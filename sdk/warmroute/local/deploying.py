"""Deploys a spec to the local endpoint, as it would be deployed to AWS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy import Deployment
from warmroute.errors import LocalEndpointError
from warmroute.local.session import local_session

if TYPE_CHECKING:
    from boto3.session import Session

    from warmroute.hosting import EndpointSpec

DEFAULT_REGION = "us-east-1"
"""Region of a spec that names none."""

ROLE_ARN = "arn:aws:iam::123456789012:role/local"
"""Role of a spec that names none; nothing is asked of it here."""

STAND_IN_IMAGE = "local/stand-in"
"""Image of a model that only the real account has."""


def deploy_locally(spec: EndpointSpec, url: str) -> None:
    """Make everything that a spec describes, and wait until it serves.

    Models that the spec refers to by name exist in some account and not here, so stand-ins take their place.

    Args:
        spec: The spec; a role and a region that it lacks are made up.
        url: Base URL of the local endpoint.

    Raises:
        DeploymentError: The control plane refuses.
        LocalEndpointError: The control plane refuses a stand-in.
    """
    region = spec.region or DEFAULT_REGION
    session = local_session(url, region)
    _make_stand_ins(spec, session)
    role = spec.execution_role_arn or ROLE_ARN
    complete = spec.model_copy(update={"execution_role_arn": role, "region": region})
    Deployment(complete, session, poll_seconds=0.1).apply()


def _make_stand_ins(spec: EndpointSpec, session: Session) -> None:
    from botocore.exceptions import BotoCoreError, ClientError

    named = {variant.model_name for variant in spec.all_variants}
    named |= {pool.model_name_override for variant in spec.all_variants for pool in variant.instance_pools or ()}
    named |= {each.model_name for component in spec.inference_components or () for each in component.all_specifications}
    client = session.client("sagemaker")
    for name in sorted(name for name in named if name and name not in (spec.models or {})):
        container = {"Image": STAND_IN_IMAGE, "Environment": {"SM_VLLM_ENABLE_PROMPT_TOKENS_DETAILS": "true"}}
        try:
            client.create_model(ModelName=name, ExecutionRoleArn=ROLE_ARN, PrimaryContainer=container)
        except ClientError as error:
            reason = error.response["Error"]["Message"]
            if "already existing" in reason:
                continue  # Of an account that was kept.
            raise LocalEndpointError(f"The stand-in for model {name} cannot be made: {reason}") from error
        except BotoCoreError as error:
            raise LocalEndpointError(f"The stand-in for model {name} cannot be made: {error}") from error
