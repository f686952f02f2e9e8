"""A chat completion of an openai client without the library's walk through every value of its arguments.

The walk looks for what is no JSON: times, models, omitted values. For a long chat it takes ten times as long as all
else that the client does, and canonical JSON refuses such values anyway.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from warmroute.client.body_size import check_body
from warmroute.client.openai_body import given_values, is_json, with_id
from warmroute.prefix import CanonicalJsonError, canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from openai import AsyncOpenAI, OpenAI

    from warmroute.client.encoding import Encode
    from warmroute.client.openai_body import FindId


class Post(NamedTuple):
    """What ``create`` hands to the client's ``post``."""

    path: str
    arguments: dict[str, Any]


def post_of_create(
    client: OpenAI | AsyncOpenAI, params: Mapping[str, Any], find_id: FindId, encode: Encode
) -> Post | None:
    """What to post for the arguments of ``chat.completions.create``; None where only the library can tell.

    Args:
        client: The client; other tools may watch how its methods call each other, so they all have to be the library's.
        params: The arguments; left as they are.
        find_id: Finds the ``prompt_cache_key``.
        encode: How the body is written.

    Raises:
        BodyTooLargeError: The body has more than 6,291,456 bytes.
        InvalidSettingsError: The id is malformed.
    """
    create = inspect.getattr_static(type(client.chat.completions), "create")
    if not (_is_of_the_library(create) and _is_of_the_library(inspect.getattr_static(type(client), "post"))):
        return None
    extra = params.get("extra_body")
    is_canonical = (encode.func if isinstance(encode, functools.partial) else encode) is canonical_json
    if not is_canonical or not params.keys() <= _names(create) or not (extra is None or isinstance(extra, Mapping)):
        return None
    try:
        return _post(client, create, params, find_id, encode)
    except CanonicalJsonError:  # More than JSON, or less.
        return None


def _post(
    client: OpenAI | AsyncOpenAI,
    create: Callable[..., Any],
    params: Mapping[str, Any],
    find_id: FindId,
    encode: Encode,
) -> Post | None:
    sent = given_values({name: value for name, value in params.items() if name not in _OPTIONS})
    stream = {"stream": sent["stream"]} if "stream" in sent else {}
    if not {"messages", "model"} <= sent.keys() or not all(type(value) is bool for value in stream.values()):
        return None
    options = {name: params[name] for name in _OPTIONS if name in params and name != "extra_body"}
    found = _recorded(create, stream, options) if options else _recorded_once(create, *stream.items())
    if found is None or not is_json(client, found.arguments["options"].get("headers")):
        return None
    for name in ("messages", "tools"):
        if type(sent.get(name)) is list:
            sent[name] = [_as_values(item) for item in sent[name]]
    body = given_values({**sent, **(params.get("extra_body") or {})})
    content = encode(with_id(body, find_id))
    check_body(content)
    return Post(found.path, {**found.arguments, "content": content})


_OPTIONS = ("extra_headers", "extra_query", "extra_body", "timeout")


def _as_values(item: Any) -> Any:
    """A reply that is sent back; one with fields of its own to leave out is the library's to write."""
    if isinstance(item, BaseModel) and not hasattr(item, "__api_exclude__"):
        return item.model_dump(mode="json", exclude_unset=True)
    return item


def _is_of_the_library(function: object) -> bool:
    """Whether a function is openai's own, not another tool's around it; proxies look like what they wrap."""
    return type(function) is FunctionType and function.__module__.startswith("openai.") and _is_at_home(function)


def _is_at_home(function: FunctionType) -> bool:
    # `functools.wraps` copies the name of the module, not the module's own variables.
    return str(function.__globals__.get("__name__")).startswith("openai.")


@functools.lru_cache(maxsize=8)
def _names(create: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(create).parameters) - {"self"}


def _recorded(create: Callable[..., Any], given: dict[str, Any], options: dict[str, Any]) -> Post | None:
    """What this release of the library posts for no fields but the given ones; None if it adds fields of its own."""
    from openai import omit

    answer = create(_Recorder(), messages=omit, model=omit, **given, **options)
    if inspect.iscoroutine(answer):
        try:
            answer.send(None)
        except StopIteration as end:
            answer = end.value
    if not isinstance(answer, _Answer) or answer.post.arguments.pop("body", None) != given:
        return None
    return answer.post


@functools.lru_cache(maxsize=8)
def _recorded_once(create: Callable[..., Any], *given: tuple[str, bool]) -> Post | None:
    return _recorded(create, dict(given), {})


class _Recorder:
    """Stands for the resource whose method ``create`` is."""

    def _post(self, path: str, **arguments: Any) -> _Answer:
        return _Answer(Post(path, arguments))


class _Answer:
    """What was posted; also where it is awaited."""

    def __init__(self, post: Post) -> None:
        self.post = post

    def __await__(self) -> Any:
        yield from ()
        return self
