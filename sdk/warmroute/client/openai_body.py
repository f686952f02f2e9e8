"""The body of an openai client's chat request: canonical, tagged, and the JSON value that the library would send."""

from __future__ import annotations

import functools
import json
import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

import orjson
from pydantic import BaseModel

from warmroute.client.body_size import check_body
from warmroute.client.kinds import wrong_kind
from warmroute.prefix import CanonicalJsonError

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from warmroute.client.encoding import Encode
    from warmroute.routing import PrefixAwareId

FindId: TypeAlias = "Callable[[Mapping[str, Any]], PrefixAwareId | None]"
"""From the body of a request to its id, or None for a request without one."""


def prepared(client: OpenAI | AsyncOpenAI, options: Any, find_id: FindId, encode: Encode) -> Any:
    """The options of a request to send: a copy with the canonical body, or the given ones if they are of no chat.

    Args:
        client: The client that sends it; left as it is.
        options: openai's ``FinalRequestOptions``.
        find_id: Finds the ``prompt_cache_key``.
        encode: How the body is written.

    Raises:
        CanonicalJsonError: The body is not JSON; nor can the library write it.
        BodyTooLargeError: The body has more than 6,291,456 bytes.
        InvalidSettingsError: The id is malformed, or the encoder returns no bytes.
    """
    if (options.content is not None and options.content is _SENT.get()) or not _is_chat(client, options):
        return options
    if options.files or not is_json(client, options.headers):
        return options
    given = options.json_data if options.content is None else options.content
    content: Any = None
    if isinstance(given, (str, bytes, bytearray)) and not options.extra_json:
        content = _of_text(given, find_id, encode)
    elif isinstance(given, Mapping) or (given is None and options.extra_json):
        body = given_values({**(given or {}), **(options.extra_json or {})})
        content = _encoded(with_id(body, find_id), encode)
    check_body(given if content is None else content)
    if content is None:
        return options
    if not isinstance(content, (bytes, bytearray)):
        raise wrong_kind("encode", content, "bytes, which it should return", "Use canonical_json.")
    return options.model_copy(update={"content": content, "json_data": None, "extra_json": None})


@contextmanager
def being_sent(body: object) -> Iterator[None]:
    """Inside, a body needs no more preparation, also where it comes by twice.

    Marking the bytes themselves would take a subclass, which the library's transport copies.
    """
    before = _SENT.set(body)
    try:
        yield
    finally:
        _SENT.reset(before)


_SENT: ContextVar[object] = ContextVar("warmroute_body_being_sent", default=None)

_CHAT = "/chat/completions"


def _is_chat(client: OpenAI | AsyncOpenAI, options: Any) -> bool:
    """Whether the request goes to a path that ends as that of chats, however the caller has written it."""
    if options.method.lower() != "post":
        return False
    if options.url == _CHAT:
        return True
    try:
        url = urlsplit(options.url)
    except ValueError:  # The library says what is wrong with it.
        return False
    path = url.path if url.scheme or url.netloc else f"{client.base_url.path}/{url.path}"
    return posixpath.normpath(unquote(path)).endswith(_CHAT)


def is_json(client: OpenAI | AsyncOpenAI, headers: object) -> bool:
    """Whether a client sends JSON in a request of such headers of its own."""
    own = headers if isinstance(headers, Mapping) else {}
    for name, value in (*own.items(), *client.default_headers.items()):
        if name.lower() == "content-type" and isinstance(value, str):
            return value.partition(";")[0].strip().lower().endswith("json")
    return True


def given_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a body that the library would send."""
    omitted = _not_given()
    return {name: value for name, value in body.items() if not isinstance(value, omitted)}


def with_id(body: dict[str, Any], find_id: FindId) -> dict[str, Any]:
    """The body with its ``prompt_cache_key``; its own, if it has one."""
    if "prompt_cache_key" not in body and (key := find_id(dict(body))) is not None:
        body["prompt_cache_key"] = str(key)  # Its own type would take the slow way through canonical JSON.
    return body


def _encoded(body: dict[str, Any], encode: Encode) -> bytes:
    try:
        return encode(body)
    except CanonicalJsonError as error:
        refusal = error
    # Times, models, keys that are numbers: the library knows how to write more than JSON.
    try:
        text = _AS_THE_LIBRARY_DOES.encode(body).encode()
    except (TypeError, ValueError, RecursionError):
        text = None
    if text is None:
        raise refusal
    try:
        return encode(text)
    except CanonicalJsonError:  # Equal keys, or too many levels: JSON without a canonical form.
        return text


def _more_than_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True, mode="json", by_alias=True)
    raise TypeError


_AS_THE_LIBRARY_DOES = json.JSONEncoder(
    default=_more_than_json, allow_nan=False, ensure_ascii=False, separators=(",", ":")
)
"""Source: openai ``_utils/_json.py``."""


def _of_text(text: str | bytes | bytearray, find_id: FindId, encode: Encode) -> bytes | None:
    """The body for one that the caller has written; None for one that is no JSON object, or has a fault."""
    try:
        canonical = encode(text if isinstance(text, str) else bytes(text))
        body = json.loads(canonical)
    except ValueError:  # Not JSON, JSON without a canonical form, or a number longer than Python reads.
        return None
    if not isinstance(body, dict):
        return None
    fields = len(body)
    return canonical if len(with_id(body, find_id)) == fields else encode(body)


def past_the_transform(params: dict[str, Any]) -> dict[str, Any]:
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
    # Replies that are sent back; those with fields of their own to leave out are the library's to write.
    values = [
        item.model_dump(mode="json", exclude_unset=True)
        if isinstance(item, BaseModel) and not hasattr(item, "__api_exclude__")
        else item
        for item in items
    ]
    try:
        orjson.dumps(values, option=_ONLY_PLAIN)
    except orjson.JSONEncodeError:
        return None
    return values


@functools.cache
def _not_given() -> tuple[type, ...]:
    from openai import NotGiven, Omit

    return (NotGiven, Omit)
