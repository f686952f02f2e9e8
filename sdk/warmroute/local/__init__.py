"""An endpoint on this machine: SageMaker's control plane and data plane on one URL, with simulated engines."""

from warmroute.local.child import RunningLocally, running_locally
from warmroute.local.server import serve

__all__ = ["RunningLocally", "running_locally", "serve"]
