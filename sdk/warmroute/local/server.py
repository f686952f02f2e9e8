"""The local endpoint's server: both planes on one loopback port."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

from warmroute.errors import LocalEndpointError, MissingExtraError, WarmrouteError
from warmroute.local.deploying import deploy_locally

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.hosting import EndpointSpec


def serve(
    spec: EndpointSpec | None = None,
    *,
    port: int = 0,
    speed: float = 1.0,
    deployment_seconds: float = 1.0,
    on_ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve SageMaker's API on the loopback address until the process is told to stop.

    Args:
        spec: What to serve at once; without one, the account is empty.
        port: Port to listen on; 0 takes a free one.
        speed: How many times faster than real engines and deployments it runs.
        deployment_seconds: How long creating or updating an endpoint takes, before the speed.
        on_ready: Told the URL when requests are answered and the spec's endpoint serves.

    Raises:
        LocalEndpointError: The port is in use.
        DeploymentError: The control plane refuses the spec.
        MissingExtraError: The extra ``local`` is not installed.
    """
    try:
        import uvicorn

        from warmroute.local.control import Clock, Durations, install
        from warmroute.local.data import data_plane
        from warmroute.local.dispatch import Dispatcher, control_plane
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "warmroute":
            raise
        raise MissingExtraError("The local endpoint", "local") from error
    durations = Durations(creating=deployment_seconds, updating=deployment_seconds, component=deployment_seconds)
    install(clock=Clock(speed), durations=durations)
    listener = _listen(port)
    url = f"http://localhost:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        Dispatcher(control_plane(), data_plane(speed=speed)), log_level="warning", lifespan="off", access_log=False
    )
    asyncio.run(_serve(uvicorn.Server(config), listener, spec, url, on_ready))


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise LocalEndpointError(
            f"Port {port}: {error.strerror}.", "Choose another with --port, or 0 for a free one."
        ) from None
    return listener


async def _serve(
    server: Any, listener: socket.socket, spec: EndpointSpec | None, url: str, on_ready: Callable[[str], None]
) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if not serving.done():
            if spec is not None:
                await asyncio.to_thread(deploy_locally, spec, url)
            on_ready(url)
        await serving
    except WarmrouteError:
        server.should_exit = True
        await serving
        raise
