"""Calls to AWS whose failures read as one clear message each."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boto3.session import Session

    from warmroute.hosting import EndpointSpec


def default_session() -> Session:
    """boto3's session of the environment.

    Raises:
        DeploymentError: It names a profile that does not exist.
    """
    import boto3

    with _as_deployment_errors("open_session"):
        return boto3.Session()


def region_of(spec: EndpointSpec, session: Session) -> str:
    """The region that a spec is deployed to: its own, or the session's.

    Raises:
        DeploymentError: Neither names one.
    """
    # boto3 itself reads AWS_DEFAULT_REGION alone; every other SDK of AWS reads AWS_REGION.
    region = spec.region or session.region_name or os.environ.get("AWS_REGION")
    if not region:
        raise DeploymentError("No AWS region is set.", "Set region in the spec, AWS_REGION, or a profile's region.")
    return str(region)


class Aws:
    """The clients of one session and region.

    Args:
        session: Credentials and configuration.
        region: AWS region.
    """

    def __init__(self, session: Session, region: str) -> None:
        self._session = session
        self._region = region
        self._clients: dict[str, Any] = {}

    def call(self, service: str, operation: str, **parameters: Any) -> dict[str, Any]:
        """One call.

        Args:
            service: boto3's name of the service.
            operation: boto3's name of the method.
            parameters: Its parameters.

        Raises:
            DeploymentError: AWS cannot be reached, does not know the credentials, or refuses.
        """
        with _as_deployment_errors(operation):
            if service not in self._clients:
                self._clients[service] = self._session.client(service, region_name=self._region)
            response: dict[str, Any] = getattr(self._clients[service], operation)(**parameters)
            return response

    def create(self, service: str, operation: str, **parameters: Any) -> bool:
        """One call that makes something, or False where it exists already.

        Raises:
            DeploymentError: As for a call.
        """
        try:
            self.call(service, operation, **parameters)
        except DeploymentError as error:
            if "already exist" in error.message.lower():
                return False
            raise
        return True

    def listed(self, operation: str, items: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Every item of a SageMaker list, page after page.

        Args:
            operation: boto3's name of the method.
            items: The answer's field that holds the items of a page.
            parameters: Its parameters.

        Raises:
            DeploymentError: As for a call.
        """
        page: dict[str, Any] = {}
        while True:
            answer = self.call("sagemaker", operation, **parameters, **page)
            yield from answer[items]
            if not answer.get("NextToken"):
                return
            page = {"NextToken": answer["NextToken"]}

    @staticmethod
    def is_passing(error: DeploymentError) -> bool:
        """Whether a failure is one that the next call may not meet: throttling, a fault of AWS's, a lost connection."""
        response = getattr(error.__cause__, "response", None)
        if response is None:
            return type(error.__cause__).__name__ in _PASSING_CONNECTION_ERRORS
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return status >= 500 or "throttl" in str(response.get("Error", {}).get("Code", "")).lower()

    def describe(self, operation: str, **parameters: Any) -> dict[str, Any] | None:
        """What SageMaker says of a resource, or None where it does not exist.

        Raises:
            DeploymentError: As for a call, but not for a resource that does not exist.
        """
        try:
            return self.call("sagemaker", operation, **parameters)
        except DeploymentError as error:
            if isinstance(error.__cause__, Exception) and _says_missing(error.__cause__):
                return None
            raise


def _says_missing(error: BaseException) -> bool:
    fault = (getattr(error, "response", None) or {}).get("Error", {})
    message = str(fault.get("Message", "")).lower()
    return fault.get("Code") == "ResourceNotFound" or (
        fault.get("Code") == "ValidationException" and ("could not find" in message or "does not exist" in message)
    )


@contextmanager
def _as_deployment_errors(operation: str) -> Iterator[None]:
    from botocore import exceptions

    name = "".join(word.capitalize() for word in operation.split("_"))
    try:
        yield
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        remedy = "Run `aws configure` or set AWS_PROFILE; for the local endpoint any key does: AWS_ACCESS_KEY_ID=local "
        remedy += "AWS_SECRET_ACCESS_KEY=local."
        raise DeploymentError("No AWS credentials are set.", remedy) from error
    except exceptions.ProfileNotFound as error:
        raise DeploymentError(f"{error}.", "Check AWS_PROFILE.") from error
    except exceptions.ClientError as error:
        fault = error.response.get("Error", {})
        message = f"{name}: {fault.get('Code', 'Error')}: {fault.get('Message', error)}".rstrip(".")
        raise DeploymentError(f"{message}.", _REMEDIES.get(str(fault.get("Code")), "")) from error
    except (exceptions.EndpointConnectionError, exceptions.ConnectionError, exceptions.HTTPClientError) as error:
        raise DeploymentError(
            f"{name}: AWS cannot be reached: {error}.", "Check the network and AWS_ENDPOINT_URL."
        ) from error
    except exceptions.BotoCoreError as error:
        raise DeploymentError(f"{name}: {error}.") from error
    except ValueError as error:  # An address, or a number in the environment, that botocore cannot read.
        raise DeploymentError(f"{name}: {error}.", "Check AWS_ENDPOINT_URL and the AWS_… settings.") from error


_PASSING_CONNECTION_ERRORS = {
    "ConnectTimeoutError",
    "ConnectionClosedError",
    "ConnectionError",
    "EndpointConnectionError",
    "HTTPClientError",
    "ReadTimeoutError",
}

_REMEDIES = {
    "ExpiredToken": "Log in again.",
    "ExpiredTokenException": "Log in again.",
    "UnrecognizedClientException": "Check the credentials.",
    "InvalidClientTokenId": "Check the credentials.",
    "AccessDenied": "Give the deploying role this permission.",
    "AccessDeniedException": "Give the deploying role this permission.",
    "ResourceLimitExceeded": "Ask Service Quotas for more of this instance type.",
}
