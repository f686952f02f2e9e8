"""What serves behind the instances of the local endpoint: simulated engines, servers that run already, or vLLM."""

from warmroute.local.engines.container import (
    CHAT_COMPLETIONS,
    INVOCATIONS,
    ContainerAnswer,
    ContainerRefusal,
    ContainerRequest,
    Engine,
    EngineCounts,
    Engines,
    EngineStartError,
    StreamBrokenError,
)
from warmroute.local.engines.settings import EngineKind, EngineSettings, engine_kind
from warmroute.local.engines.simulated import SimulatedEngines

__all__ = [
    "CHAT_COMPLETIONS",
    "INVOCATIONS",
    "ContainerAnswer",
    "ContainerRefusal",
    "ContainerRequest",
    "Engine",
    "EngineCounts",
    "EngineKind",
    "EngineSettings",
    "EngineStartError",
    "Engines",
    "SimulatedEngines",
    "StreamBrokenError",
    "engine_kind",
]
