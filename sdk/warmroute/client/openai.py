"""openai clients of SageMaker's OpenAI-compatible API, whose chat requests are canonical, tagged and cheap to send.

::

    client = warmroute.client.openai.client("support-bot", region="us-east-1", prompt_cache_key="team-a")
    client.chat.completions.create(model="", messages=[{"role": "user", "content": "Hello"}])

It is the user's own ``openai.OpenAI``: calls, types, streaming, retries and errors are the library's.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

import orjson

from warmroute.client.bearer_token import BearerTokens
from warmroute.client.body_size import check_size
from warmroute.client.errors import UnsupportedClientError
from warmroute.client.ids import id_of_request
from warmroute.client.names import checked_name
from warmroute.errors import MissingExtraError
from warmroute.prefix import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from openai import AsyncOpenAI, OpenAI

    from warmroute.client.encoding import Encode
    from warmroute.client.ids import IdOfRequest
    from warmroute.routing import PrefixAwareId

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
        MissingCredentialsError: No region is known; without credentials, at the first request.
        InvalidSettingsError: A name, the region or a constant ``prompt_cache_key`` is malformed.
    """
    openai = _openai()
    settings = _settings(openai, endpoint_name, region, inference_component, session)
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

    As ``client``, with the same arguments. Tokens are made in a thread, since credentials may have to be refreshed over
    the network first.

    Raises:
        MissingExtraError: openai is not installed.
        MissingCredentialsError: No region is known; without credentials, at the first request.
        InvalidSettingsError: A name, the region or a constant ``prompt_cache_key`` is malformed.
    """
    openai = _openai()
    settings = _settings(openai, endpoint_name, region, inference_component, session)
    settings["api_key"] = _in_a_thread(settings["api_key"])
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
        InvalidSettingsError: The id is malformed; of a function's ids, at the request.
    """
    unwrap(client)
    prepare = _Preparation(id_of_request(prompt_cache_key), encode)
    request, copy, create = client.request, client.copy, client.chat.completions.create
    is_async = inspect.iscoroutinefunction(request)

    @functools.wraps(request)
    def prepared_request(cast_to: Any, options: Any, **more: Any) -> Any:
        return request(cast_to, prepare(options), **more)

    @functools.wraps(request)
    async def prepared_async_request(cast_to: Any, options: Any, **more: Any) -> Any:
        return await cast("Any", request)(cast_to, prepare(options), **more)

    @functools.wraps(copy)
    def wrapped_copy(*args: Any, **more: Any) -> Any:
        return wrap(copy(*args, **more), prompt_cache_key=prompt_cache_key, encode=encode)

    @functools.wraps(create)
    def quick_create(*args: Any, **params: Any) -> Any:
        return create(*args, **_past_the_transform(params))

    @functools.wraps(create)
    async def quick_async_create(*args: Any, **params: Any) -> Any:
        return await cast("Any", create)(*args, **_past_the_transform(params))

    vars(client).update(
        request=prepared_async_request if is_async else prepared_request, copy=wrapped_copy, with_options=wrapped_copy
    )
    vars(client.chat.completions)["create"] = quick_async_create if is_async else quick_create
    return client


def unwrap(client: OpenAI | AsyncOpenAI) -> None:
    """Make a client what it was before ``wrap``; one without it stays as it is.

    Raises:
        MissingExtraError: openai is not installed.
        UnsupportedClientError: It is another client than ``wrap`` takes.
    """
    openai = _openai()
    known = isinstance(client, (openai.OpenAI, openai.AsyncOpenAI))
    if not known or isinstance(client, (openai.AzureOpenAI, openai.AsyncAzureOpenAI)):
        found = f"{type(client).__module__.partition('.')[0]}.{type(client).__name__}"
        raise UnsupportedClientError(
            f"client: {found} is not a client of SageMaker's OpenAI-compatible API.",
            "Use openai.OpenAI or openai.AsyncOpenAI.",
        )
    # What `wrap` adds lies on the instance, over the methods of the class.
    for name in ("request", "copy", "with_options"):
        vars(client).pop(name, None)
    vars(client.chat.completions).pop("create", None)


_CHAT = "/chat/completions"


class _Preparation:
    """Replaces the body of a chat request by its canonical bytes."""

    def __init__(self, find_id: Callable[[Mapping[str, Any]], PrefixAwareId | None], encode: Encode) -> None:
        self._find_id = find_id
        self._encode = encode

    def __call__(self, options: Any) -> Any:
        """The options to send: a copy, or the given ones if they are not those of a chat request."""
        if options.method.lower() != "post" or options.url != _CHAT or not isinstance(options.json_data, Mapping):
            return options
        body = {
            name: value
            for name, value in {**options.json_data, **(options.extra_json or {})}.items()
            if not isinstance(value, _not_given())
        }
        if "prompt_cache_key" not in body and (key := self._find_id(body)) is not None:
            body["prompt_cache_key"] = str(key)  # Its own type would take the slow way through canonical JSON.
        content = self._encode(body)
        check_size(content)
        return options.model_copy(update={"content": content, "json_data": None, "extra_json": None})


def _past_the_transform(params: dict[str, Any]) -> dict[str, Any]:
    """Arguments of ``create`` whose long parts the library passes on without looking at every value."""
    extra = params.get("extra_body")
    plain: dict[str, Any] = {}
    if "messages" in params and (messages := _plain(params["messages"])) is not None:
        plain["messages"] = messages
    if "tools" in params and (tools := _plain(params["tools"])) is not None:
        plain["tools"] = tools
    if not plain or (extra is not None and not isinstance(extra, Mapping)):
        return params
    rest = {name: value for name, value in params.items() if name not in plain}
    if "messages" in plain:
        rest["messages"] = []  # The library insists on the argument; `extra_body` takes its place.
    return {**rest, "extra_body": {**plain, **(extra or {})}}


_ONLY_PLAIN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


def _plain(items: object) -> list[Any] | None:
    """The items as JSON values, or None where only the library knows how to write them."""
    if type(items) is not list:
        return None
    from openai import BaseModel

    # Replies that are sent back; those with fields of their own to leave out are the library's to write.
    values = [
        item.to_dict(mode="json") if isinstance(item, BaseModel) and not hasattr(item, "__api_exclude__") else item
        for item in items
    ]
    try:
        orjson.dumps(values, option=_ONLY_PLAIN)
    except orjson.JSONEncodeError:
        return None
    return values


@functools.cache
def _not_given() -> tuple[type, ...]:
    openai = _openai()
    return (openai.NotGiven, openai.Omit)


def _openai() -> Any:
    try:
        import openai
    except ImportError:
        raise MissingExtraError("warmroute.client.openai", "openai") from None
    return openai


def _settings(
    openai: Any, endpoint_name: str, region: str | None, inference_component: str | None, session: Any
) -> dict[str, Any]:
    path = f"/endpoints/{checked_name(endpoint_name, 'endpoint_name')}"
    if inference_component is not None:
        path += f"/inference-components/{checked_name(inference_component, 'inference_component')}"
    tokens = BearerTokens(region, session)
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


def _in_a_thread(tokens: BearerTokens) -> Any:
    async def token() -> str:
        import anyio.to_thread

        return await anyio.to_thread.run_sync(tokens)

    return token
