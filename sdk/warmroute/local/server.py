"""The local endpoint's server: both planes on one loopback port, and what the spec describes."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.errors import LocalEndpointError, MissingExtraError, WarmrouteError
from warmroute.local.deploying import deploy_locally
from warmroute.local.engines import EngineSettings
from warmroute.local.isolation import without_aws_settings
from warmroute.local.options import check_options
from warmroute.local.state import journal_in, once_restored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from warmroute.hosting import EndpointSpec
    from warmroute.local.control import EndpointState
    from warmroute.local.data import Fleets
    from warmroute.local.engines import Engines
    from warmroute.local.state import Journal
    from warmroute.local.state.remembering import RememberingControlPlane

SHUTDOWN_SECONDS = 2
"""How long requests may take to end once the process is told to stop; streams would go on for minutes."""

_SETTLING_SECONDS = 0.25
"""How often stacks that wait for a resource look at it, and fleets at the control plane."""

_BACKLOG = 2_048
"""Connections that wait to be accepted. Source: uvicorn's default."""


def serve(
    spec: EndpointSpec | None = None,
    *,
    port: int = 0,
    speed: float = 1.0,
    deployment_seconds: float = 1.0,
    engines: EngineSettings | None = None,
    state: Path | None = None,
    on_ready: Callable[[str], None] = lambda _: None,
    on_engine: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve SageMaker's API on the loopback address until the process is told to stop.

    Until then, the process has no AWS settings in its environment.

    Args:
        spec: What to serve at once; without one, the account is empty.
        port: Port to listen on; 0 takes a free one.
        speed: How many times faster than real engines and deployments it runs, 0.01 to 10,000.
        deployment_seconds: How long creating or updating an endpoint or a component takes, before the speed; up to a
            day.
        engines: What serves behind the instances; simulated engines by default.
        state: Directory whose account is served again, and that keeps what changes; by default all is forgotten.
        on_engine: Told what becomes of each vLLM server, from another thread, and what a kept account has lost.
        on_ready: Told the URL when requests are answered and the spec's endpoint serves.

    Raises:
        LocalEndpointError: The port cannot be had, a setting is out of its range, another moto is installed, or the
            directory of the state is damaged, somebody else's or in use.
        DeploymentError: The control plane refuses the spec.
        MissingExtraError: The extra ``local`` is not installed.
    """
    check_options(speed, deployment_seconds)
    with without_aws_settings():
        listener = _listen(port)
        with listener, journal_in(state) as journal:
            source = (engines or EngineSettings()).engines(speed, on_engine)
            server, fleets, memory = _server(speed, deployment_seconds, source, journal)
            url = f"http://localhost:{listener.getsockname()[1]}"
            with _ended_in_order(server):
                serving = _serve(server, fleets, source, listener, spec, url, on_ready, memory)
                with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
                    runner.run(once_restored(serving, memory, speed, on_engine, source.close))


@contextmanager
def _ended_in_order(server: Any) -> Iterator[None]:
    """Have SIGTERM stop the server and nothing else: uvicorn would raise it again, before engines are ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: setattr(server, "should_exit", True))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _server(
    speed: float, deployment_seconds: float, engines: Engines, journal: Journal | None
) -> tuple[Any, Fleets, RememberingControlPlane | None]:
    """The server of both planes, the fleets of the data plane, and the control plane's memory where it has one."""
    try:
        import uvicorn

        from warmroute.local.cloudformation.hooks import settle_all
        from warmroute.local.control import Clock, Durations, Readiness, control_plane, install
        from warmroute.local.data import DataPlane, Fleets
        from warmroute.local.dispatch import Dispatcher
        from warmroute.local.observability import Observability
        from warmroute.local.record import RoutingRecord
        from warmroute.local.state.remembering import RememberingControlPlane

        durations = Durations(creating=deployment_seconds, updating=deployment_seconds, component=deployment_seconds)
        fleets = Fleets(engines)
        memory: RememberingControlPlane | None = None

        def is_ready(state: EndpointState) -> bool:
            # Nothing is started for what was in force once, and is not any more.
            return (memory is not None and memory.is_restoring) or fleets.is_ready(state)

        readiness = Readiness(is_ready, fleets.give_up)
        clock = Clock(speed) if journal is None else Clock(0, start=0)
        install(clock=clock, durations=durations, readiness=readiness)
        plain = control_plane()
        if journal is not None:
            memory = RememberingControlPlane(plain, journal, clock, settle_all)
        app = RoutingRecord(Dispatcher(memory or plain, DataPlane(fleets), Observability(fleets)))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "warmroute":
            raise
        raise MissingExtraError("The local endpoint", "local") from error
    # Both planes answer and tell their own faults; what is left for uvicorn to log is requests that a stop cuts short.
    config = uvicorn.Config(
        app,
        log_config=None,  # That of uvicorn asks whether standard output, which may be closed, is a terminal.
        log_level="critical",
        lifespan="off",
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config), fleets, memory


def _listen(port: int) -> socket.socket:
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it, answers wait 40 ms for an ACK.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        # Two processes may bind one port at the same moment; only one of them can listen.
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise LocalEndpointError(
            f"Port {port}: {error.strerror}.", "Choose another with --port, or 0 for a free one."
        ) from None
    return listener


async def _serve(
    server: Any,
    fleets: Fleets,
    engines: Engines,
    listener: socket.socket,
    spec: EndpointSpec | None,
    url: str,
    on_ready: Callable[[str], None],
    memory: RememberingControlPlane | None,
) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    settling = [asyncio.create_task(_settle_stacks(memory)), asyncio.create_task(_follow(fleets))]
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if not serving.done():
            if spec is not None:
                await asyncio.to_thread(deploy_locally, spec, url)
            on_ready(url)
        await serving
    except WarmrouteError:
        if not server.should_exit:  # Else it was told to stop, and the deployment failed for that.
            raise
    finally:
        server.should_exit = True
        await asyncio.wait([serving])
        for each in settling:
            each.cancel()
        await engines.close()


async def _follow(fleets: Fleets) -> None:
    """Let instances start and end though nobody sends a request."""
    while True:
        await asyncio.sleep(_SETTLING_SECONDS)
        fleets.follow()


async def _settle_stacks(memory: RememberingControlPlane | None) -> None:
    """Let stacks go on though nobody asks for them."""
    from warmroute.local.cloudformation.hooks import settle_all

    while True:
        await asyncio.sleep(_SETTLING_SECONDS)
        await (memory.settle() if memory is not None else asyncio.to_thread(settle_all))
