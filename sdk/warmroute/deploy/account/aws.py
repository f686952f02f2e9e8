"""Calls to AWS: retried where a retry helps, with failures that read as one clear message each."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account import faults
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boto3.session import Session

    from warmroute.hosting import EndpointSpec

PATIENCE = 5
"""Attempts in a row that may fail in passing, or that do not see yet what has just been made: SageMaker's reads are
eventually consistent. Source: botocore documentation of CreateEndpoint."""

_ATTEMPTS = 6
"""Attempts of botocore's own, within one of ours."""


def default_session() -> Session:
    """boto3's session of the environment.

    Raises:
        DeploymentError: It names a profile that does not exist.
    """
    import boto3

    with faults.as_deployment_errors("", "open_session"):
        return boto3.Session()


def region_of(spec: EndpointSpec | None, session: Session, region: str | None = None) -> str:
    """The region that is worked in: one that is given, the spec's own, or the session's.

    Raises:
        DeploymentError: Nothing names one.
    """
    # boto3 itself reads AWS_DEFAULT_REGION alone; every other SDK of AWS reads AWS_REGION.
    own = spec.region if spec else None
    found = region or own or session.region_name or os.environ.get("AWS_REGION")
    if not found:
        own_way = "Set region in the spec" if spec else "Give --region"
        raise DeploymentError("No AWS region is set.", f"{own_way}, or set AWS_REGION or a profile's region.")
    return str(found)


class Aws:
    """The clients of one session and region.

    Throttled and lost calls are retried by botocore, in the mode that AWS_RETRY_MODE names, ``standard`` by default.

    Args:
        session: Credentials and configuration.
        region: AWS region.
    """

    def __init__(self, session: Session, region: str) -> None:
        self.region = region
        self._session = session
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
        with faults.as_deployment_errors(service, operation):
            if service not in self._clients:
                self._clients[service] = self._session.client(service, region_name=self.region, config=_retries())
            response: dict[str, Any] = getattr(self._clients[service], operation)(**parameters)
            return response

    def change(
        self, service: str, operation: str, *, awaits_what_is_missing: bool = True, **parameters: Any
    ) -> dict[str, Any]:
        """One call that changes something and may be made twice, repeated while it fails in passing.

        Args:
            service: boto3's name of the service.
            operation: boto3's name of the method.
            awaits_what_is_missing: Whether what it refers to may have been made a moment ago and not be seen yet, so
                that is waited for as well.
            parameters: Its parameters.

        Raises:
            DeploymentError: As for a call.
        """
        for attempt in range(1, PATIENCE + 1):
            try:
                return self.call(service, operation, **parameters)
            except DeploymentError as error:
                may_pass = faults.is_passing(error) or (awaits_what_is_missing and faults.is_missing(error))
                if attempt == PATIENCE or not may_pass:
                    raise
                time.sleep(attempt)
        raise AssertionError("unreachable")

    def create(self, service: str, operation: str, *, awaits_what_is_missing: bool = True, **parameters: Any) -> bool:
        """One call that makes something, or False where it exists already.

        Args:
            service: boto3's name of the service.
            operation: boto3's name of the method.
            awaits_what_is_missing: As for a change.
            parameters: Its parameters.

        Raises:
            DeploymentError: As for a call.
        """
        try:
            self.change(service, operation, awaits_what_is_missing=awaits_what_is_missing, **parameters)
        except DeploymentError as error:
            if faults.is_taken(error):
                return False
            raise
        return True

    def delete(self, service: str, operation: str, **parameters: Any) -> bool:
        """One call that deletes something, or False where it is gone already.

        Raises:
            DeploymentError: As for a call.
        """
        for attempt in range(1, PATIENCE + 1):
            try:
                self.call(service, operation, **parameters)
            except DeploymentError as error:
                if faults.is_missing(error):
                    return False
                if attempt == PATIENCE or not faults.is_passing(error):
                    raise
                time.sleep(attempt)
            else:
                break
        return True

    def listed(
        self, operation: str, items: str, service: str = "sagemaker", **parameters: Any
    ) -> Iterator[dict[str, Any]]:
        """Every item of a list, page after page.

        Args:
            operation: boto3's name of the method.
            items: The answer's field that holds the items of a page.
            service: boto3's name of the service.
            parameters: Its parameters.

        Raises:
            DeploymentError: As for a call.
        """
        page: dict[str, Any] = {}
        while True:
            answer = self.call(service, operation, **parameters, **page)
            yield from answer[items]
            if not answer.get("NextToken"):
                return
            page = {"NextToken": answer["NextToken"]}

    def describe(self, operation: str, **parameters: Any) -> dict[str, Any] | None:
        """What SageMaker says of a resource, or None where it does not exist.

        Raises:
            DeploymentError: As for a call, but not for a resource that does not exist.
        """
        try:
            return self.call("sagemaker", operation, **parameters)
        except DeploymentError as error:
            if faults.is_missing(error):
                return None
            raise


def _retries() -> Any:
    from botocore.config import Config

    retries: dict[str, Any] = {}
    if "AWS_RETRY_MODE" not in os.environ:
        retries["mode"] = "standard"
    if "AWS_MAX_ATTEMPTS" not in os.environ:
        retries["total_max_attempts"] = _ATTEMPTS
    return Config(retries=retries)
