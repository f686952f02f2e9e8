"""The local endpoint's server: both planes on one loopback port."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

from warmroute.errors import LocalEndpointError, MissingExtraError
from warmroute.render import to_boto3

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.hosting import EndpointSpec

DEFAULT_REGION = "us-east-1"
LOCAL_ROLE_ARN = "arn:aws:iam::123456789012:role/local"
"""Role of a spec that names none; nothing is asked of it here."""


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
        on_ready: Told the URL when requests are answered, and the spec's endpoint is being created.

    Raises:
        LocalEndpointError: The port is in use.
        MissingExtraError: The extra ``local`` is not installed.
    """
    try:
        import uvicorn

        from warmroute.local.control import Clock, Durations, install
        from warmroute.local.data import data_plane
        from warmroute.local.dispatch import Dispatcher, control_plane
    except ModuleNotFoundError:
        raise MissingExtraError("The local endpoint", "local") from None
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
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if not serving.done():
        if spec is not None:
            await asyncio.to_thread(_create, spec, url)
        on_ready(url)
    await serving


def _create(spec: EndpointSpec, url: str) -> None:
    """Make the spec's resources by the same calls that AWS would get."""
    import boto3

    region = spec.region or DEFAULT_REGION
    complete = spec.model_copy(update={"execution_role_arn": spec.execution_role_arn or LOCAL_ROLE_ARN})
    session = boto3.Session("local", "local", region_name=region)
    for call in to_boto3(complete, region=region):
        client = session.client(call.service, endpoint_url=url)
        getattr(client, call.operation)(**call.parameters)
        if call.operation == "create_endpoint":
            session.client("sagemaker", endpoint_url=url).get_waiter("endpoint_in_service").wait(
                EndpointName=spec.name, WaiterConfig={"Delay": 1, "MaxAttempts": 600}
            )
