"""An endpoint on this machine: SageMaker's control plane and data plane on one URL, with engines simulated or real.

The names below load when they are first used, so that what needs one of them does not wait for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.local.child import RunningLocally as RunningLocally
    from warmroute.local.child import running_locally as running_locally
    from warmroute.local.engines import EngineKind as EngineKind
    from warmroute.local.engines import EngineSettings as EngineSettings
    from warmroute.local.engines import engine_kind as engine_kind
    from warmroute.local.pages import METRICS_PATH as METRICS_PATH
    from warmroute.local.pages import PAGE_PATH as PAGE_PATH
    from warmroute.local.pages import STATE_PATH as STATE_PATH
    from warmroute.local.server import serve as serve

_HOMES = {
    "warmroute.local.child": "RunningLocally running_locally",
    "warmroute.local.engines": "EngineKind EngineSettings engine_kind",
    "warmroute.local.pages": "METRICS_PATH PAGE_PATH STATE_PATH",
    "warmroute.local.server": "serve",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - one list of names, not two.


if not TYPE_CHECKING:  # Type checkers know the names from the imports above, and report any other.

    def __getattr__(name: str) -> object:
        """Load a public name from its module."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'warmroute.local' has no attribute {name!r}")
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
