"""One port for both planes: invocations go to the data plane, everything else to the control plane."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

_DATA_PLANE = re.compile(
    r"/endpoints/[^/]+/(invocations|invocations-response-stream|(inference-components/[^/]+/)?openai/.*)"
)
_OTHER_SERVICE = re.compile(rb"Credential=[^/]+/\d{8}/[^/]+/(?!sagemaker/)")


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
    if scope["type"] != "http" or not _DATA_PLANE.fullmatch(scope["path"]):
        return False
    return not any(name == b"authorization" and _OTHER_SERVICE.search(value) for name, value in scope["headers"])


def control_plane() -> ASGIApp:
    """The control plane: moto's server with every service of the spec, extended by ``warmroute.local.control``."""
    from a2wsgi import WSGIMiddleware
    from moto.core.request import (
        PRESERVED_HEADER_NAMES_ENVIRON_KEY,
        environ_key_for_header,
        should_preserve_original_header_name,
    )
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    server = DomainDispatcherApplication(create_backend_app)

    def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        # What WSGI loses and moto reads: the path before decoding, and underscores in the names of S3 metadata.
        scope = environ["asgi.scope"]
        environ["RAW_URI"] = scope["raw_path"].decode("latin-1")
        names = [name.decode("latin-1") for name, _ in scope["headers"]]
        environ[PRESERVED_HEADER_NAMES_ENVIRON_KEY] = {
            environ_key_for_header(name): name for name in names if should_preserve_original_header_name(name)
        }
        return server(environ, start_response)

    return WSGIMiddleware(wsgi, workers=10)  # type: ignore[arg-type, return-value]
