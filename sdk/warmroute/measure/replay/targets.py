"""Where a replay is sent: SageMaker's own API, its OpenAI-compatible one, or any server that speaks the latter."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from warmroute.client.bearer_token import BearerTokens
from warmroute.client.errors import MissingCredentialsError, MissingRegionError
from warmroute.client.names import checked_name
from warmroute.errors import InvalidSettingsError, WarmrouteError
from warmroute.measure.replay.http.pool import server_of
from warmroute.routing import PrefixAwareId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.measure.replay.http.pool import Server

REFRESH_SECONDS = 60.0
"""How often credentials are asked for, beside the run: that may take a call over the network."""


class Target(Protocol):
    """Something that answers requests."""

    server: Server
    chat_only: bool
    """Whether it takes chats alone, not bare prompts."""
    in_event_stream: bool
    """Whether its answers come in AWS's event stream."""
    name: str
    """For people, and for the record of the run."""

    def head(self, body: bytes, prefix_aware_id: str) -> bytes:
        """Request line and headers of a request."""

    async def refresh(self) -> None:
        """Get new credentials; called before a run and every minute of it.

        Raises:
            MissingCredentialsError: There are none.
        """


class NativeTarget:
    """InvokeEndpointWithResponseStream.

    Args:
        session: A boto3 session, with the credentials and the region.
        endpoint_name: The endpoint.
        target_variant: The production variant that serves requests, instead of SageMaker's choice by weight.
        inference_component: The inference component that serves requests, on an endpoint that has such.
        endpoint_url: Root of the API; without it, AWS's, or what boto3's settings say.

    Raises:
        InvalidSettingsError: A name is malformed.
        MissingRegionError: No region is known.
        WarmrouteError: The URL is none.
    """

    chat_only = False
    in_event_stream = True

    def __init__(
        self,
        session: Any,
        endpoint_name: str,
        *,
        target_variant: str | None = None,
        inference_component: str | None = None,
        endpoint_url: str | None = None,
    ) -> None:
        path = f"/endpoints/{checked_name(endpoint_name, 'endpoint_name')}/invocations-response-stream"
        self._headers = {"Content-Type": "application/json"}
        if target_variant is not None:
            name = checked_name(target_variant, "target_variant")
            self._headers["X-Amzn-SageMaker-Target-Variant"] = name
        if inference_component is not None:
            name = checked_name(inference_component, "inference_component")
            self._headers["X-Amzn-SageMaker-Inference-Component"] = name
        self._session = session
        root, self._region = _root(session, endpoint_url)
        self.server = server_of(root)
        self._path = urlsplit(root).path.rstrip("/") + path
        self._url = f"{urlsplit(root).scheme}://{self.server.authority}{self._path}"
        self._frozen: Any = None
        self.name = f"{endpoint_name}, InvokeEndpointWithResponseStream"

    def head(self, body: bytes, prefix_aware_id: str) -> bytes:
        """Request line and headers of a request, signed."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        headers = dict(self._headers)
        if prefix_aware_id and _is_legal(prefix_aware_id):
            headers["X-Amzn-SageMaker-Prefix-Aware-Id"] = prefix_aware_id
        request = AWSRequest("POST", self._url, headers, body)
        SigV4Auth(self._frozen, "sagemaker", self._region).add_auth(request)
        return _head(self._path, {"Host": self.server.authority, **request.headers}, body)

    async def refresh(self) -> None:
        """Get new credentials.

        Raises:
            MissingCredentialsError: There are none.
        """
        credentials = await asyncio.to_thread(self._session.get_credentials)
        if credentials is None:
            raise MissingCredentialsError(
                "The session has no AWS credentials to sign requests with.",
                "Configure them as for boto3; for `warmroute local`, export what it prints.",
            )
        self._frozen = await asyncio.to_thread(credentials.get_frozen_credentials)


class OpenAITarget:
    """A server of chat completions in OpenAI's form, by its URL.

    Args:
        base_url: Up to and with ``/v1``.
        api_key: Sent as bearer token; empty for none.

    Raises:
        WarmrouteError: The URL is none.
    """

    chat_only = True
    in_event_stream = False

    def __init__(self, base_url: str, api_key: str = "") -> None:
        self.server = server_of(base_url)
        self._path = urlsplit(base_url).path.rstrip("/") + "/chat/completions"
        self._authorization = _bearer(api_key)
        self.name = f"{base_url}, chat completions"

    def head(self, body: bytes, prefix_aware_id: str) -> bytes:  # noqa: ARG002 - it is in the body.
        """Request line and headers of a request."""
        headers = {"Host": self.server.authority, "Content-Type": "application/json", **self._authorization}
        return _head(self._path, headers, body)

    async def refresh(self) -> None:
        """There is nothing to refresh."""


class SageMakerOpenAITarget(OpenAITarget):
    """SageMaker's OpenAI-compatible API.

    Args:
        session: A boto3 session, with the credentials and the region.
        endpoint_name: The endpoint.
        inference_component: The inference component that serves requests, on an endpoint that has such.
        endpoint_url: Root of the API; without it, AWS's, or what boto3's settings say.

    Raises:
        InvalidSettingsError: A name is malformed.
        MissingRegionError: No region is known.
        WarmrouteError: The URL is none.
    """

    def __init__(
        self,
        session: Any,
        endpoint_name: str,
        *,
        inference_component: str | None = None,
        endpoint_url: str | None = None,
    ) -> None:
        path = f"/endpoints/{checked_name(endpoint_name, 'endpoint_name')}"
        if inference_component is not None:
            path += f"/inference-components/{checked_name(inference_component, 'inference_component')}"
        root, region = _root(session, endpoint_url)
        super().__init__(f"{root.rstrip('/')}{path}/openai/v1")
        self._tokens = BearerTokens(region, session)
        self.name = f"{endpoint_name}, OpenAI-compatible API"

    async def refresh(self) -> None:
        """Make a new bearer token; one lasts 15 minutes.

        Raises:
            MissingCredentialsError: There are no credentials.
        """
        self._authorization = _bearer(await asyncio.to_thread(self._tokens))


def _root(session: Any, endpoint_url: str | None) -> tuple[str, str]:
    """The root of the runtime API, and the region."""
    from botocore.exceptions import BotoCoreError, NoRegionError

    try:
        client = session.client("sagemaker-runtime", endpoint_url=endpoint_url)
    except NoRegionError:
        raise MissingRegionError(
            "region: none is given, and none is configured.", "Give the endpoint's, or set AWS_REGION."
        ) from None
    except (BotoCoreError, ValueError) as error:
        raise WarmrouteError(f"There is no client of SageMaker's runtime: {error}.", "Check region and URL.") from None
    return str(client.meta.endpoint_url), str(client.meta.region_name)


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _head(path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = (f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()))
    return ("\r\n".join(lines) + f"\r\nContent-Length: {len(body)}\r\n\r\n").encode("latin-1")


def _is_legal(prefix_aware_id: str) -> bool:
    try:
        PrefixAwareId(prefix_aware_id)
    except InvalidSettingsError:
        return False
    return True
