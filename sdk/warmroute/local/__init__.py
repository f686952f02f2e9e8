"""An endpoint on this machine: SageMaker's control plane and data plane on one URL, with engines simulated or real."""

from warmroute.local.child import RunningLocally, running_locally
from warmroute.local.engines import EngineKind, EngineSettings, engine_kind
from warmroute.local.pages import METRICS_PATH, PAGE_PATH, STATE_PATH
from warmroute.local.server import serve

__all__ = [
    "METRICS_PATH",
    "PAGE_PATH",
    "STATE_PATH",
    "EngineKind",
    "EngineSettings",
    "RunningLocally",
    "engine_kind",
    "running_locally",
    "serve",
]
