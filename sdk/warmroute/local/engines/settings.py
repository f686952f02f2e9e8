"""Which engines serve behind the local endpoint, as the user says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from warmroute.errors import LocalEndpointError
from warmroute.local.engines.simulated import SimulatedEngines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from warmroute.local.engines.container import Engines


class EngineKind(StrEnum):
    """What serves requests."""

    SIMULATED = "simulated"
    """Simulated engines: the times of Llama 3.1 70B on ml.p5.48xlarge, and no words of a model."""

    URL = "url"
    """OpenAI-compatible servers that run already."""

    VLLM = "vllm"
    """vLLM servers that the local endpoint starts, one for each instance."""


def engine_kind(name: str) -> EngineKind:
    """The kind of engine of a name.

    Raises:
        LocalEndpointError: There is none.
    """
    try:
        return EngineKind(name)
    except ValueError:
        raise LocalEndpointError(
            f"--engine {name}: there is no such engine.", f"Use {', '.join(EngineKind)}."
        ) from None


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Which engines, and what they need."""

    kind: EngineKind = EngineKind.SIMULATED
    urls: tuple[str, ...] = ()
    """For ``url``: base addresses of the servers, one for each instance."""

    vllm_python: Path | None = None
    """For ``vllm``: interpreter of the environment that has it; else that of ``.venv-vllm``, or this one."""

    vllm_arguments: tuple[str, ...] = ()
    """For ``vllm``: arguments that take the place of the spec's, ``NAME=VALUE`` or ``NAME`` for a flag."""

    model_dir: Path | None = None
    """For ``vllm``: folder of the model to run instead of the spec's."""

    def engines(self, speed: float, say: Callable[[str], None] = lambda _: None) -> Engines:
        """Where the engines come from.

        Args:
            speed: How many times faster than real engines simulated ones run.
            say: Told what becomes of each engine that is started.

        Raises:
            LocalEndpointError: A setting is of another kind of engine, or what it names is not there.
            MissingExtraError: A package is not installed.
        """
        self._check()
        if self.kind is EngineKind.URL:
            from warmroute.local.engines.url import UrlEngines, base_url

            return UrlEngines([base_url(url) for url in self.urls])
        if self.kind is EngineKind.VLLM:
            from warmroute.local.engines.vllm import VllmEngines, vllm_interpreter

            interpreter = vllm_interpreter(self.vllm_python)
            return VllmEngines(interpreter, changes=self.vllm_arguments, model_dir=self.model_dir, say=say)
        return SimulatedEngines(speed)

    def options(self) -> list[str]:
        """The same settings as options of ``warmroute local``."""
        options = ["--engine", str(self.kind)]
        for name, values in (
            ("engine-url", self.urls),
            ("vllm-arg", self.vllm_arguments),
            ("vllm-python", filter(None, [self.vllm_python])),
            ("model-dir", filter(None, [self.model_dir])),
        ):
            options += [f"--{name}={value}" for value in values]
        return options

    def _check(self) -> None:
        given = {
            "--engine-url": (EngineKind.URL, self.urls),
            "--vllm-python": (EngineKind.VLLM, self.vllm_python),
            "--vllm-arg": (EngineKind.VLLM, self.vllm_arguments),
            "--model-dir": (EngineKind.VLLM, self.model_dir),
        }
        for option, (kind, value) in given.items():
            if value and kind is not self.kind:
                raise LocalEndpointError(f"{option} is for --engine {kind}, and --engine is {self.kind}.")
        if self.kind is EngineKind.URL and not self.urls:
            raise LocalEndpointError("--engine url needs the servers.", "Name each with --engine-url.")
        if self.model_dir is not None and not (self.model_dir / "config.json").is_file():
            raise LocalEndpointError(f"Folder {self.model_dir} has no model.", "It needs a config.json.")
