"""What ``wrap`` lays over the methods of an openai client, beside what other tools have laid there."""

from __future__ import annotations

import functools
import inspect
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from warmroute.client.openai_body import FindId, being_sent, past_the_transform, prepared
from warmroute.client.openai_create import Post, post_of_create

if TYPE_CHECKING:
    from collections.abc import Callable

    from openai import AsyncOpenAI, OpenAI

    from warmroute.client.encoding import Encode

Settings: TypeAlias = "tuple[FindId, Encode]"


def install(client: OpenAI | AsyncOpenAI, settings: Settings) -> None:
    """Prepare the chats of a client, or prepare them in another way from now on.

    Args:
        client: The client.
        settings: Finds the id of a request, and writes it.
    """
    completions = client.chat.completions
    with _LOCK:
        wrapping = vars(client).get(_NAME)
        if wrapping is None or wrapping.client is not client:  # That of another one, if the client is a plain copy.
            wrapping = vars(client)[_NAME] = _Wrapping(client)
        # One assignment, so that no call of another thread goes out unprepared in between.
        wrapping.settings = settings
        wrapping.lay_over(completions)


def remove(client: OpenAI | AsyncOpenAI) -> None:
    """Let a client send its chats as before."""
    with _LOCK:
        wrapping = vars(client).get(_NAME)
        if wrapping is None or wrapping.client is not client:
            return
        wrapping.settings = None
        if wrapping.taken_off():
            del vars(client)[_NAME]


_NAME = "_warmroute"
_LOCK = threading.RLock()


@dataclass(frozen=True)
class _Layer:
    """A function of ours in the place of a method."""

    owner: Any
    name: str
    function: Callable[..., Any]
    before: Callable[..., Any] | None
    """What another tool had put on the instance; None if the class's own method was in place."""


class _Wrapping:
    """The layers of one client; without settings they let everything pass.

    A layer that another tool has covered cannot be taken off without taking off the other's too: it stays, and passes.
    """

    def __init__(self, client: OpenAI | AsyncOpenAI) -> None:
        from openai import AsyncOpenAI

        self.client = client
        self.settings: Settings | None = None
        self._is_async = isinstance(client, AsyncOpenAI)
        self._layers: list[_Layer] = []

    def lay_over(self, completions: Any) -> None:
        for owner, name, make in (
            (self.client, "request", self._request),
            (self.client, "copy", self._copy),
            (self.client, "with_options", self._copy),
            (completions, "create", self._create),
        ):
            current = getattr(owner, name)
            if not self._is_reached_by(current):
                before = vars(owner).get(name)
                function = functools.wraps(current)(make(_below(owner, name, before)))
                self._layers.append(_Layer(owner, name, function, before))
                vars(owner)[name] = function  # Past the `__setattr__` of subclasses.

    def taken_off(self) -> bool:
        """Take off what nothing covers; whether that was everything."""
        covered = []
        for layer in reversed(self._layers):
            if vars(layer.owner).get(layer.name) is not layer.function:
                covered.append(layer)
            elif layer.before is None:
                del vars(layer.owner)[layer.name]
            else:
                vars(layer.owner)[layer.name] = layer.before
        self._layers = covered[::-1]
        return not covered

    def _is_reached_by(self, method: Any) -> bool:
        ours = [layer.function for layer in self._layers]
        try:
            return inspect.unwrap(method, stop=lambda function: function in ours) in ours
        except ValueError:  # A circle, of another tool.
            return False

    def _prepared(self, options: Any) -> Any:
        settings = self.settings
        return options if settings is None else prepared(self.client, options, *settings)

    def _posted(self, args: Any, params: dict[str, Any]) -> Post | None:
        """What to post in place of calling the library's ``create``, where no other tool's layer would be passed by."""
        settings = self.settings
        if settings is None or args or not self._are_alone():
            return None
        return post_of_create(self.client, params, *settings)

    def _are_alone(self) -> bool:
        own = vars(self.client)
        return "post" not in own and all(
            (layer.name != "create" or layer.before is None)
            and (layer.name != "request" or own.get("request") is layer.function)
            for layer in self._layers
        )

    def _arguments(self, params: dict[str, Any]) -> dict[str, Any]:
        return params if self.settings is None else past_the_transform(params)

    def _request(self, below: Callable[..., Any]) -> Callable[..., Any]:
        def request(cast_to: Any, options: Any, **more: Any) -> Any:
            options = self._prepared(options)
            with being_sent(options.content):
                return below(cast_to, options, **more)

        async def async_request(cast_to: Any, options: Any, **more: Any) -> Any:
            options = self._prepared(options)
            with being_sent(options.content):
                return await below(cast_to, options, **more)

        return async_request if self._is_async else request

    def _create(self, below: Callable[..., Any]) -> Callable[..., Any]:
        def create(*args: Any, **params: Any) -> Any:
            if post := self._posted(args, params):
                with being_sent(post.arguments["content"]):
                    return self.client.post(post.path, **post.arguments)
            return below(*args, **self._arguments(params))

        async def async_create(*args: Any, **params: Any) -> Any:
            if post := self._posted(args, params):
                with being_sent(post.arguments["content"]):
                    return await self.client.post(post.path, **post.arguments)
            return await below(*args, **self._arguments(params))

        return async_create if self._is_async else create

    def _copy(self, below: Callable[..., Any]) -> Callable[..., Any]:
        def copy(*args: Any, **params: Any) -> Any:
            made, settings = below(*args, **params), self.settings
            if settings is not None:
                install(made, settings)
            return made

        return copy


def _below(owner: Any, name: str, before: Callable[..., Any] | None) -> Callable[..., Any]:
    """What lies under a layer; the class's method as it is at each call, since tools replace those too."""
    if before is not None:
        return before
    return lambda *args, **params: getattr(type(owner), name)(owner, *args, **params)
