"""One port for all: ``/endpoints/`` is the data plane's, ``/_warmroute/`` what a user sees, the rest for control."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warmroute.local.data import PATH_PREFIX
from warmroute.local.pages import is_page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Dispatcher:
    """Sends each request to the application that it is for.

    Both planes sign as ``sagemaker``, so the path decides; a bucket that happens to be called ``endpoints`` is told
    apart by the service that its signature names.

    Args:
        control_plane: The application of the control plane.
        data_plane: The application of the data plane.
        observability: The application of metrics, state and live page.
    """

    def __init__(self, control_plane: ASGIApp, data_plane: ASGIApp, observability: ASGIApp) -> None:
        self._control_plane = control_plane
        self._data_plane = data_plane
        self._observability = observability

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope)(scope, receive, send)

    def _app(self, scope: Scope) -> ASGIApp:
        if scope["type"] != "http":
            return self._control_plane
        # The decoded path: moto would answer what spells the data plane's paths with escapes.
        path: str = scope["path"]
        if path.startswith(PATH_PREFIX):
            app = self._data_plane
        elif is_page(path):
            app = self._observability
        else:
            return self._control_plane
        return self._control_plane if _is_signed_for_s3(scope) else app


def is_for_data_plane(scope: Scope) -> bool:
    """Whether a request is for the data plane."""
    return scope["type"] == "http" and scope["path"].startswith(PATH_PREFIX) and not _is_signed_for_s3(scope)


def _is_signed_for_s3(scope: Scope) -> bool:
    signatures = [value for name, value in scope["headers"] if name == b"authorization"]
    return any(_SIGNED_FOR_S3.search(signature) for signature in (*signatures, scope["query_string"]))


_SIGNED_FOR_S3 = re.compile(rb"Credential=[^/%]+(?:/|%2[Ff])\d{8}(?:/|%2[Ff])[^/%]+(?:/|%2[Ff])s3(?:/|%2[Ff])")
"""In a header, or in the query of a presigned address."""
