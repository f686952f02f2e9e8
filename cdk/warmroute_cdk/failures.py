"""What is wrong with a construct, said in one line that begins with its path."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from aws_cdk import Token
from jsii.errors import JavaScriptError, JSIIError

from warmroute.errors import DocumentError, IncompleteSpecError, InvalidSettingsError, WarmrouteError
from warmroute.render.unsupported import UnsupportedByTargetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from constructs import Construct

_Init = TypeVar("_Init", bound="Callable[..., None]")


class ConstructError(WarmrouteError):
    """A construct cannot be made, or used, as it is asked for: its place, its id or what it is given does not fit."""


def checked_construct(init: _Init) -> _Init:
    """Decorator of a construct's ``__init__``: what its caller does wrong is one line, without Node's traceback.

    Args:
        init: The ``__init__``, which takes ``scope`` and ``id`` first.
    """

    @wraps(init)
    def checked(self: Any, scope: Construct, id: str, *positional: Any, **named: Any) -> None:  # noqa: A002
        _refuse_place(scope, id)
        with refused_by_cdk(path_of(scope.node.path, id)):
            init(self, scope, id, *positional, **named)

    return cast("_Init", checked)


@contextmanager
def refused_by_cdk(path: str) -> Iterator[None]:
    """Let what the CDK refuses within the block be a ``ConstructError``.

    Args:
        path: Path of the construct, which begins the message; empty where there is none.
    """
    try:
        yield
    except (RuntimeError, JSIIError) as error:
        if not isinstance(error.__cause__, JavaScriptError):
            raise
        said = _plain(str(error))
        raise ConstructError(f"{path}: {said}" if path else said) from None


@contextmanager
def named(path: str) -> Iterator[None]:
    """Let errors of the block begin with a construct's path; what follows is the message of ``warmroute validate``.

    Args:
        path: Path of the construct, ``Stack/Endpoint``.
    """
    try:
        yield
    except InvalidSettingsError as error:
        raise InvalidSettingsError(error.findings, f"{path}: {error.name}" if error.name else path) from None
    except UnsupportedByTargetError as error:
        raise UnsupportedByTargetError(error.target, f"{path}: {error.path}", error.reason) from None
    except (ConstructError, DocumentError, IncompleteSpecError) as error:
        raise type(error)(f"{path}: {error.message}", error.remedy) from None


def path_of(scope_path: str, id: str) -> str:  # noqa: A002
    """Path of a construct that does not exist yet.

    Args:
        scope_path: Path of the construct that it belongs to.
        id: Its id there.
    """
    return f"{scope_path}/{id}".lstrip("/")


def _refuse_place(scope: Construct, id: str) -> None:  # noqa: A002
    if not hasattr(scope, "node"):
        raise ConstructError(f"{id}: its scope is {_article(scope)}, not a construct.", "Give a stack or a construct.")
    path = path_of(scope.node.path, str(id))
    if not isinstance(id, str) or not id or Token.is_unresolved(id):
        raise ConstructError(
            f"{path}: an id is text that is not empty and known at synthesis.", "Give one, for example 'Endpoint'."
        )
    if scope.node.try_find_child(id) is not None:
        raise ConstructError(f"{path}: there is a construct with this id already.", "Give one of them another id.")


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _plain(message: str) -> str:
    """A message of the CDK without the names of its error classes, and without the value that Node prints below."""
    return " ".join(_ERROR_NAMES.sub("", message.partition("\n├──")[0]).split())


_ERROR_NAMES = re.compile(r"^(?:(?:@?[\w./-]*[A-Z]\w*|Resolution error): )+")
