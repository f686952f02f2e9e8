"""An endpoint for one test, and where the requests of the test went."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any
from urllib.request import ProxyHandler, Request, build_opener

from warmroute.errors import LocalEndpointError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.child import RunningLocally


@dataclass(frozen=True, slots=True)
class RoutedRequest:
    """A request that the endpoint answered, as soon as the answer began."""

    path: str
    """Below the endpoint's URL; it tells the operation and the API."""

    status: int
    """HTTP status of the answer."""

    variant: str
    """Variant that served it; empty where none did."""

    instance: str
    """Instance, or component copy, that served it; empty where none did."""

    key: str
    """Its routing key in hexadecimal: equal for requests that PREFIX_AWARE takes for alike; empty for other
    strategies."""

    home: str
    """Instance where its prefix lives: the one that served it, unless that one was busy."""

    @property
    def overflowed(self) -> bool:
        """Whether it was sent away from its home, which had reached the concurrency threshold."""
        return self.instance != self.home


class LocalEndpoint:
    """An endpoint in service on the local server.

    Args:
        server: The server.
        name: Name of the endpoint.
        region: Region of the endpoint.
    """

    def __init__(self, server: RunningLocally, name: str, region: str) -> None:
        self.name = name
        """What ``EndpointName`` is."""
        self.region = region
        """Its AWS region."""
        self._server = server
        self._begun = _record(server.url)["count"]

    @property
    def url(self) -> str:
        """Base URL of every API: ``AWS_ENDPOINT_URL``, or boto3's ``endpoint_url``."""
        return self._server.url

    @property
    def openai_base_url(self) -> str:
        """``base_url`` of an OpenAI client for the endpoint."""
        return f"{self.url}/endpoints/{self.name}/openai/v1"

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables that send boto3 and the AWS CLI here, for a service that runs in its own process."""
        return {**self._server.environment, "AWS_DEFAULT_REGION": self.region, "AWS_REGION": self.region}

    def client(self, service: str) -> Any:
        """A boto3 client, such as ``sagemaker-runtime``, whatever the environment says."""
        return self._server.session(self.region).client(service)

    @property
    def requests(self) -> list[RoutedRequest]:
        """What the endpoint has answered since it was made, in the order of the answers.

        Raises:
            LocalEndpointError: There were more requests than the server remembers.
        """
        record = _record(self.url, self._begun)
        told = record["requests"]
        if len(told) < record["count"] - self._begun:
            raise LocalEndpointError(
                f"The local endpoint answered {record['count'] - self._begun:,} requests and remembers {len(told):,}.",
                "Look at requests earlier, or send fewer.",
            )
        names = [field.name for field in fields(RoutedRequest)]
        own = [each for each in told if each["endpoint"] == self.name]
        return [RoutedRequest(**{name: each[name] for name in names}) for each in own]


def reset(server: RunningLocally) -> None:
    """Forget everything in every account of the server."""
    _answer(Request(f"{server.url}/moto-api/reset", method="POST"))  # noqa: S310 - the address is our own.


def _record(url: str, after: int = 0) -> Any:
    return json.loads(_answer(Request(f"{url}/_warmroute/requests?after={after}")))  # noqa: S310 - as above.


def _answer(request: Request) -> bytes:
    with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:  # No proxy knows the loopback address.
        body: bytes = answer.read()
    return body
