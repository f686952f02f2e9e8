"""The local endpoint in a thread: the same server, without the seconds that a process takes to start."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from warmroute.hosting import EndpointSpec
from warmroute.local import EngineSettings, RunningLocally, server
from warmroute.local.control.registry import TIMING


@contextmanager
def running_in_process(
    spec: EndpointSpec | None = None,
    *,
    speed: float = 1_000.0,
    deployment_seconds: float = 0.0,
    engines: EngineSettings | None = None,
) -> Iterator[RunningLocally]:
    """Stand in for ``running_locally``; what it leaves in this process is undone at the end."""
    before = dict(vars(TIMING))
    source = (engines or EngineSettings()).engines(speed, lambda _: None)
    uvicorn, fleets, memory = server._server(speed, deployment_seconds, source, None)
    ready = Event()
    with server._listen(0) as listener, ThreadPoolExecutor(1) as pool:
        url = f"http://localhost:{listener.getsockname()[1]}"
        serving = pool.submit(
            lambda: asyncio.run(
                server._serve(uvicorn, fleets, source, listener, spec, url, lambda _: ready.set(), memory)
            )
        )
        serving.add_done_callback(lambda _: ready.set())
        ready.wait()
        try:
            if not serving.done():
                yield RunningLocally(url)
                urllib.request.urlopen(urllib.request.Request(f"{url}/moto-api/reset", method="POST")).close()
        finally:
            uvicorn.should_exit = True
            serving.result()
            vars(TIMING).update(before)
