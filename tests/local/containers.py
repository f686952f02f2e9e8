"""A container in the test's own event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def container(answer: Answer) -> AsyncIterator[str]:
    """The address of a server that answers every request by a function, which is cancelled when its client leaves."""
    runner = web.ServerRunner(web.Server(answer, handler_cancellation=True), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
