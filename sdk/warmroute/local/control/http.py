"""The control plane over HTTP: moto's server with every service of the spec. Like ``hooks``, it knows moto's insides.

``install`` extends the services; the server itself is moto's own.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from warmroute.local.control.moto_parts import refuse_missing_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

_LOGGER = logging.getLogger(__name__)


def control_plane() -> ASGIApp:
    """The ASGI application of the control plane.

    Raises:
        LocalEndpointError: moto lacks something that this relies on.
    """
    import moto.core.request as core_request
    import moto.moto_server.werkzeug_app as moto_app
    from a2wsgi import WSGIMiddleware

    names = ("PRESERVED_HEADER_NAMES_ENVIRON_KEY", "environ_key_for_header", "should_preserve_original_header_name")
    refuse_missing_parts((core_request, name) for name in names)
    refuse_missing_parts((moto_app, name) for name in ("DomainDispatcherApplication", "create_backend_app"))
    server = moto_app.DomainDispatcherApplication(moto_app.create_backend_app)

    def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        # What WSGI loses and moto reads: the path before decoding, and underscores in the names of S3 metadata.
        scope = environ["asgi.scope"]
        environ["RAW_URI"] = scope["raw_path"].decode("latin-1")
        headers = [name.decode("latin-1") for name, _ in scope["headers"]]
        environ[core_request.PRESERVED_HEADER_NAMES_ENVIRON_KEY] = {
            core_request.environ_key_for_header(name): name
            for name in headers
            if core_request.should_preserve_original_header_name(name)
        }
        try:
            return server(environ, start_response)
        except Exception:  # moto lets its faults through, and some of its refusals are faults.
            _LOGGER.exception("moto failed.")
            start_response("500 Internal Server Error", _FAILURE_HEADERS)
            return [_FAILURE]

    return WSGIMiddleware(wsgi, workers=10)  # type: ignore[arg-type, return-value]


_FAILURE = b'{"__type": "InternalFailure", "message": "The local endpoint failed; its own output tells why."}'
_FAILURE_HEADERS = [("Content-Type", "application/json"), ("x-amzn-errortype", "InternalFailure")]
