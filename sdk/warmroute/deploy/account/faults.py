"""What AWS says when it does not do what was asked, as one clear message each."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterator


def code_of(error: DeploymentError) -> str:
    """AWS's code of what it refused; empty where it was not AWS."""
    return str(_fault(error).get("Code", ""))


def is_passing(error: DeploymentError) -> bool:
    """Whether a failure is one that the next call may not meet: throttling, a fault of AWS's, a lost connection."""
    if not _fault(error):
        return type(error.__cause__).__name__ in _PASSING_CONNECTION_ERRORS
    status = _response(error).get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    code = str(_fault(error).get("Code", "")).lower()
    return status >= 500 or "throttl" in code or "toomanyrequests" in code or code == "concurrentupdateexception"


def is_missing(error: DeploymentError) -> bool:
    """Whether the resource that a call names does not exist, or is not seen yet."""
    fault = _fault(error)
    message = str(fault.get("Message", "")).lower()
    if fault.get("Code") in {"ResourceNotFound", "ObjectNotFoundException", "ResourceNotFoundException"}:
        return True
    missing = ("could not find", "does not exist", "no scalable target", "no scaling policy")
    return fault.get("Code") == "ValidationException" and any(phrase in message for phrase in missing)


def is_taken(error: DeploymentError) -> bool:
    """Whether a name is taken already."""
    return "already exist" in str(_fault(error).get("Message", "")).lower()


def is_denied(error: DeploymentError) -> bool:
    """Whether a permission is missing."""
    return str(_fault(error).get("Code", "")).startswith("AccessDenied")


def is_refused(error: DeploymentError) -> bool:
    """Whether the service refuses the request as it stands, for example since a resource is in use."""
    return _fault(error).get("Code") in {"ValidationException", "ResourceInUse", "ConflictException"}


def is_busy(error: DeploymentError) -> bool:
    """Whether the resource is in the middle of another change."""
    fault = _fault(error)
    in_progress = "in-progress" in str(fault.get("Message", "")).lower()
    return fault.get("Code") in {"ResourceInUse", "ConflictException"} or in_progress


@contextmanager
def as_deployment_errors(service: str, operation: str) -> Iterator[None]:
    """Turn what botocore raises into a DeploymentError.

    Args:
        service: boto3's name of the service.
        operation: boto3's name of the method.
    """
    from botocore import exceptions

    name = "".join(word.capitalize() for word in operation.split("_"))
    try:
        yield
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        remedy = "Run `aws configure` or set AWS_PROFILE; for the local endpoint any key does: AWS_ACCESS_KEY_ID=local "
        remedy += "AWS_SECRET_ACCESS_KEY=local."
        raise DeploymentError("No AWS credentials are set.", remedy) from error
    except (exceptions.TokenRetrievalError, exceptions.SSOError, exceptions.CredentialRetrievalError) as error:
        raise DeploymentError(f"The AWS credentials cannot be refreshed: {_said(error)}.", _LOG_IN) from error
    except exceptions.ProfileNotFound as error:
        raise DeploymentError(f"{_said(error)}.", "Check AWS_PROFILE.") from error
    except exceptions.ClientError as error:
        fault = error.response.get("Error", {})
        message = _said(f"{name}: {fault.get('Code', 'Error')}: {fault.get('Message', error)}")
        raise DeploymentError(f"{message}.", _remedy(fault, service, name)) from error
    except (exceptions.EndpointConnectionError, exceptions.ConnectionError, exceptions.HTTPClientError) as error:
        raise DeploymentError(
            f"{name}: AWS cannot be reached: {_said(error)}.", "Check the network and AWS_ENDPOINT_URL."
        ) from error
    except exceptions.BotoCoreError as error:
        raise DeploymentError(f"{name}: {_said(error)}.") from error
    except ValueError as error:  # An address, or a number in the environment, that botocore cannot read.
        raise DeploymentError(f"{name}: {_said(error)}.", "Check AWS_ENDPOINT_URL and the AWS_… settings.") from error


def _said(error: object) -> str:
    """What was said, without a full stop: some of these sentences have one and some do not."""
    return str(error).rstrip(". ")


def _remedy(fault: dict[str, Any], service: str, operation: str) -> str:
    code, message = str(fault.get("Code")), str(fault.get("Message", ""))
    if not code.startswith("AccessDenied"):
        return _REMEDIES.get(code, "")
    named = re.search(r"perform: ([a-z0-9-]+:[A-Za-z]+)", message)
    return f"Give the deploying role the permission {named[1] if named else _permission(service, operation)}."


def _permission(service: str, operation: str) -> str:
    """The permission of a call, which IAM calls otherwise than boto3 does for some."""
    return _PERMISSIONS.get(operation) or f"{_IAM_PREFIXES.get(service, service)}:{operation}"


def _response(error: DeploymentError) -> dict[str, Any]:
    response: dict[str, Any] = getattr(error.__cause__, "response", None) or {}
    return response


def _fault(error: DeploymentError) -> dict[str, Any]:
    fault: dict[str, Any] = _response(error).get("Error", {})
    return fault


_PASSING_CONNECTION_ERRORS = {
    "ConnectTimeoutError",
    "ConnectionClosedError",
    "ConnectionError",
    "EndpointConnectionError",
    "HTTPClientError",
    "ReadTimeoutError",
    "ResponseStreamingError",
}

_IAM_PREFIXES = {"service-quotas": "servicequotas"}
"""Names of services in IAM, where boto3 has another. Source: Service Authorization Reference."""

_PERMISSIONS = {"HeadObject": "s3:GetObject", "HeadBucket": "s3:ListBucket", "ListObjectsV2": "s3:ListBucket"}
"""Permissions of calls that go by another name. Source: Service Authorization Reference, Amazon S3."""

_LOG_IN = "Log in again: `aws sso login`, or however your credentials are made."

_REMEDIES = {
    "ExpiredToken": _LOG_IN,
    "ExpiredTokenException": _LOG_IN,
    "RequestExpired": "Set this machine's clock.",
    "UnrecognizedClientException": "Check the credentials.",
    "InvalidClientTokenId": "Check the credentials.",
    "InvalidSignatureException": "Check the credentials and this machine's clock.",
    "ResourceLimitExceeded": "Ask Service Quotas for more of this instance type.",
}
