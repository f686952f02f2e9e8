"""Errors of a spec, said with the construct that it belongs to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from warmroute.errors import DocumentError, IncompleteSpecError, InvalidSettingsError
from warmroute.render.unsupported import UnsupportedByTargetError

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    except (DocumentError, IncompleteSpecError) as error:
        raise type(error)(f"{path}: {error.message}", error.remedy) from None


def path_of(scope_path: str, id: str) -> str:  # noqa: A002
    """Path of a construct that does not exist yet.

    Args:
        scope_path: Path of the construct that it belongs to.
        id: Its id there.
    """
    return f"{scope_path}/{id}".lstrip("/")
