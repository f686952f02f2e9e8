"""AWS's APIs as a user of the account calls them, answered by moto in this process.

Whatever CloudFormation makes is made by the calls with which a user would make it, so that both meet the same checks
and leave the same behind.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from moto.core.botocore_stubber import BotocoreStubber
from moto.utilities.utils import get_partition

from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.session import ACCESS_KEY, isolated_session

_NOT_FOUND = ("NotFound", "NoSuch", "ResourceNotFound", "NonExistent", "404", "RepositoryNotFound")
_ABSENT_MESSAGES = ("Could not find", "does not exist", "No scalable target found")


class ApiFailedError(ResourceFailedError):
    """A call that the service refused.

    Args:
        reason: What the resource's event says.
        is_absence: Whether it was refused because there is no such thing.
    """

    def __init__(self, reason: str, *, is_absence: bool) -> None:
        super().__init__(reason)
        self.is_absence = is_absence


@dataclass(frozen=True, slots=True)
class Api:
    """Every API of one account in one region."""

    account: str
    region: str

    @property
    def partition(self) -> str:
        """``aws``, or that of China's regions or of the government's."""
        return get_partition(self.region)

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:
        """Call an API.

        Args:
            service: Name of the service as boto3 has it.
            operation: Name of the call, such as ``CreateModel``.
            request: Its input; what is none is left out.

        Raises:
            ApiFailedError: It was refused.
        """
        client = _client(service, self.region, self.account)
        method = getattr(client, _method_names(service, self.region, self.account)[operation])
        try:
            response: dict[str, Any] = method(**{key: value for key, value in request.items() if value is not None})
        except ClientError as error:
            told = error.response["Error"]
            status = error.response["ResponseMetadata"].get("HTTPStatusCode", 400)
            absent = says_absence(told["Code"], told.get("Message", ""))
            where = f"(Service: {client.meta.service_model.service_id}, Status Code: {status})"
            reason = f'Resource handler returned message: "{told.get("Message", told["Code"])} {where}"'
            raise ApiFailedError(f"{reason} (HandlerErrorCode: {told['Code']})", is_absence=absent) from None
        except BotoCoreError as error:
            reason = f'Resource handler returned message: "{error}" (HandlerErrorCode: InvalidRequest)'
            raise ApiFailedError(reason, is_absence=False) from None
        return response

    def find(self, service: str, operation: str, **request: Any) -> dict[str, Any] | None:
        """Call an API that describes something; none where there is no such thing.

        Raises:
            ApiFailedError: It was refused for another reason.
        """
        try:
            return self.call(service, operation, **request)
        except ApiFailedError as failed:
            if failed.is_absence:
                return None
            raise

    def remove(self, service: str, operation: str, **request: Any) -> None:
        """Call an API that deletes something, which may have gone already.

        Raises:
            ApiFailedError: It was refused for another reason.
        """
        self.find(service, operation, **request)


def says_absence(code: str, message: str) -> bool:
    """Whether an error says that there is no such thing.

    Args:
        code: Its code.
        message: Its message.
    """
    return any(word in code for word in _NOT_FOUND) or any(words in message for words in _ABSENT_MESSAGES)


@functools.cache
def _client(service: str, region: str, account: str) -> Any:
    local = Config(proxies={}, retries={"total_max_attempts": 1}, ignore_configured_endpoint_urls=True)
    client = isolated_session().create_client(
        service, region, aws_access_key_id=ACCESS_KEY, aws_secret_access_key=ACCESS_KEY, config=local
    )
    stubber = BotocoreStubber()
    stubber.enabled = True

    def answer(request: Any, **context: Any) -> Any:
        request.headers["x-moto-account-id"] = account
        return stubber(context.pop("event_name"), request, **context)

    client.meta.events.register_first("before-send", answer)
    return client


@functools.cache
def _method_names(service: str, region: str, account: str) -> dict[str, str]:
    mapping = _client(service, region, account).meta.method_to_api_mapping
    return {operation: method for method, operation in mapping.items()}
