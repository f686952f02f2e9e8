"""One port for both planes: what is below ``/endpoints/`` goes to the data plane, everything else to the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warmroute.local.data import PATH_PREFIX

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Dispatcher:
    """Sends each request to the plane that it is for.

    Both planes sign as ``sagemaker``, so the path decides; a bucket that happens to be called ``endpoints`` is told
    apart by the service that its signature names.

    Args:
        control_plane: The application of the control plane.
        data_plane: The application of the data plane.
    """

    def __init__(self, control_plane: ASGIApp, data_plane: ASGIApp) -> None:
        self._control_plane = control_plane
        self._data_plane = data_plane

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        app = self._data_plane if _is_for_data_plane(scope) else self._control_plane
        await app(scope, receive, send)


def _is_for_data_plane(scope: Scope) -> bool:
    # The decoded path: moto would answer what spells the data plane's paths with escapes.
    if scope["type"] != "http" or not scope["path"].startswith(PATH_PREFIX):
        return False
    signatures = [value for name, value in scope["headers"] if name == b"authorization"]
    return not any(_SIGNED_FOR_S3.search(signature) for signature in (*signatures, scope["query_string"]))


_SIGNED_FOR_S3 = re.compile(rb"Credential=[^/%]+(?:/|%2[Ff])\d{8}(?:/|%2[Ff])[^/%]+(?:/|%2[Ff])s3(?:/|%2[Ff])")
"""In a header, or in the query of a presigned address."""
