"""openai clients of SageMaker's OpenAI-compatible API, whose chat requests are canonical, tagged and cheap to send.

    client = warmroute.client.openai.client("support-bot", region="us-east-1", prompt_cache_key="team-a")
    client.chat.completions.create(model="", messages=[{"role": "user", "content": "Hello"}])

It is the user's own ``openai.OpenAI``: calls, types, streaming, retries and errors are the library's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from warmroute.client.bearer_token import AsyncBearerTokens, BearerTokens
from warmroute.client.errors import UnsupportedClientError
from warmroute.client.ids import id_of_request
from warmroute.client.kinds import check_encode
from warmroute.client.names import checked_name
from warmroute.client.openai_wrapping import install, remove
from warmroute.errors import MissingExtraError
from warmroute.prefix import canonical_json

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from warmroute.client.encoding import Encode
    from warmroute.client.ids import IdOfRequest

READ_TIMEOUT_SECONDS = 70.0
"""SageMaker gives a model 60 seconds to answer and asks clients to wait a little longer. Source: InvokeEndpoint."""

Client = TypeVar("Client", bound="OpenAI | AsyncOpenAI")


def client(
    endpoint_name: str,
    *,
    region: str | None = None,
    inference_component: str | None = None,
    prompt_cache_key: str | IdOfRequest | None = None,
    session: Any = None,
    encode: Encode = canonical_json,
    **options: Any,
) -> OpenAI:
    """An ``openai.OpenAI`` that talks to one endpoint.

    A bearer token is made for every request, on this machine. Chat requests are prepared as ``wrap`` says.

    Args:
        endpoint_name: The endpoint.
        region: Its region; without one, ``AWS_REGION`` and then that of the session.
        inference_component: The inference component that serves requests, on an endpoint that has such.
        prompt_cache_key: One id for every request, or a function that finds the id of a request, of its tenant or
            conversation; it routes as PrefixAwareId does on InvokeEndpoint. ``warmroute.client.ids.hashed_id`` keeps
            their names to yourself.
        session: A boto3 session with the credentials; without one, a new session.
        encode: How chat requests are written; for other tool order, ``functools.partial(canonical_json, …)``.
        options: Anything that ``openai.OpenAI`` takes. ``base_url`` replaces AWS's address with another complete one;
            so do the roots in ``AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME`` and ``AWS_ENDPOINT_URL``, to which the path of
            the endpoint is added. ``timeout`` replaces the 70 seconds for reading.

    Raises:
        MissingExtraError: openai is not installed.
        MissingRegionError: No region is known.
        MissingCredentialsError: There are no credentials; at the first request.
        UnsupportedSessionError: The session is of another kind.
        InvalidSettingsError: A name, the region or a constant ``prompt_cache_key`` is malformed.
    """
    openai = _openai()
    settings = _settings(openai, endpoint_name, inference_component, BearerTokens(region, session))
    made: OpenAI = openai.OpenAI(**{**settings, **options})
    return wrap(made, prompt_cache_key=prompt_cache_key, encode=encode)


def async_client(
    endpoint_name: str,
    *,
    region: str | None = None,
    inference_component: str | None = None,
    prompt_cache_key: str | IdOfRequest | None = None,
    session: Any = None,
    encode: Encode = canonical_json,
    **options: Any,
) -> AsyncOpenAI:
    """An ``openai.AsyncOpenAI`` that talks to one endpoint.

    As ``client``, with the same arguments; the session may also be one of aiobotocore or aioboto3.

    Raises:
        MissingExtraError: openai is not installed.
        MissingRegionError: No region is known.
        MissingCredentialsError: There are no credentials; at the first request.
        UnsupportedSessionError: The session is of another kind.
        InvalidSettingsError: A name, the region or a constant ``prompt_cache_key`` is malformed.
    """
    openai = _openai()
    settings = _settings(openai, endpoint_name, inference_component, AsyncBearerTokens(region, session))
    made: AsyncOpenAI = openai.AsyncOpenAI(**{**settings, **options})
    return wrap(made, prompt_cache_key=prompt_cache_key, encode=encode)


def wrap(
    client: Client, *, prompt_cache_key: str | IdOfRequest | None = None, encode: Encode = canonical_json
) -> Client:
    """Make an openai client send canonical chat requests.

    From then on every chat completion of this client and of its copies (``with_options``)

    - is sent as canonical JSON;
    - has the ``prompt_cache_key``, unless the call gives its own;
    - is refused beyond 6,291,456 bytes, before anything is sent.

    ``create`` also skips the library's walk through ``messages`` and ``tools`` where these are plain JSON, which is
    most of what a long request costs; they travel as ``extra_body``. Other calls stay as they are. Wrapping again
    replaces the id; ``unwrap`` restores the client.

    Args:
        client: An ``openai.OpenAI`` or ``openai.AsyncOpenAI``; returned.
        prompt_cache_key: One id for every request, or a function that finds the id of a request.
        encode: How chat requests are written.

    Raises:
        MissingExtraError: openai is not installed.
        UnsupportedClientError: It is another client, or an Azure client, which rewrites requests itself.
        InvalidSettingsError: The id or the encoder is malformed; of a function's ids, at the request.
    """
    _checked(client)
    check_encode(encode)
    install(client, (id_of_request(prompt_cache_key), encode))
    return client


def unwrap(client: OpenAI | AsyncOpenAI) -> None:
    """Make a client what it was before ``wrap``; one without it stays as it is.

    Raises:
        MissingExtraError: openai is not installed.
        UnsupportedClientError: It is another client than ``wrap`` takes.
    """
    remove(_checked(client))


def _checked(client: Client) -> Client:
    openai = _openai()
    known = isinstance(client, (openai.OpenAI, openai.AsyncOpenAI))
    if not known or isinstance(client, (openai.AzureOpenAI, openai.AsyncAzureOpenAI)):
        found = f"{type(client).__module__.partition('.')[0]}.{type(client).__name__}"
        raise UnsupportedClientError(
            f"client: {found} is not a client of SageMaker's OpenAI-compatible API.",
            "Use openai.OpenAI or openai.AsyncOpenAI.",
        )
    return client


def _openai() -> Any:
    try:
        import openai
    except ImportError:
        raise MissingExtraError("warmroute.client.openai", "openai") from None
    return openai


def _settings(
    openai: Any, endpoint_name: str, inference_component: str | None, tokens: BearerTokens | AsyncBearerTokens
) -> dict[str, Any]:
    path = f"/endpoints/{checked_name(endpoint_name, 'endpoint_name')}"
    if inference_component is not None:
        path += f"/inference-components/{checked_name(inference_component, 'inference_component')}"
    return {
        "api_key": tokens,
        "base_url": _root(tokens.region) + path + "/openai/v1",
        "timeout": openai.Timeout(READ_TIMEOUT_SECONDS, connect=10.0),
    }


def _root(region: str) -> str:
    """AWS's address, or the one that AWS's own clients would use instead."""
    own = os.environ.get("AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME") or os.environ.get("AWS_ENDPOINT_URL")
    if own and os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() != "true":
        return own.rstrip("/")
    return f"https://runtime.sagemaker.{region}.amazonaws.com"
