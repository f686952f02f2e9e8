"""An endpoint on this machine: SageMaker's control plane and data plane on one URL, with engines simulated or real."""

from warmroute.local.child import RunningLocally, running_locally
from warmroute.local.engines import EngineKind, EngineSettings, engine_kind
from warmroute.local.server import serve

__all__ = ["EngineKind", "EngineSettings", "RunningLocally", "engine_kind", "running_locally", "serve"]
