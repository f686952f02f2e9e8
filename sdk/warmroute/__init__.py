"""Prefix-aware routing for LLM endpoints on Amazon SageMaker: configure it, deploy it, run it on a laptop.

The names below load when they are first used, so that ``import warmroute`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.errors import DeploymentError as DeploymentError
    from warmroute.errors import DocumentError as DocumentError
    from warmroute.errors import Finding as Finding
    from warmroute.errors import IncompleteSpecError as IncompleteSpecError
    from warmroute.errors import InvalidSettingsError as InvalidSettingsError
    from warmroute.errors import MissingExtraError as MissingExtraError
    from warmroute.errors import Severity as Severity
    from warmroute.errors import WarmrouteError as WarmrouteError
    from warmroute.hosting import AutoScaling as AutoScaling
    from warmroute.hosting import DeploymentConfig as DeploymentConfig
    from warmroute.hosting import EndpointSpec as EndpointSpec
    from warmroute.hosting import InferenceComponent as InferenceComponent
    from warmroute.hosting import Model as Model
    from warmroute.hosting import ProductionVariant as ProductionVariant
    from warmroute.hosting import VllmContainer as VllmContainer
    from warmroute.hosting import check as check
    from warmroute.hosting import load_spec as load_spec
    from warmroute.hosting import parse_spec as parse_spec
    from warmroute.routing import PrefixAwareId as PrefixAwareId
    from warmroute.routing import PrefixAwareRoutingConfig as PrefixAwareRoutingConfig
    from warmroute.routing import RoutingConfig as RoutingConfig
    from warmroute.routing_strategy import RoutingStrategy as RoutingStrategy

    __version__: str

_HOMES = {
    "warmroute.errors": (
        "DeploymentError DocumentError Finding IncompleteSpecError InvalidSettingsError MissingExtraError Severity "
        "WarmrouteError"
    ),
    "warmroute.hosting": (
        "AutoScaling DeploymentConfig EndpointSpec InferenceComponent Model ProductionVariant VllmContainer "
        "check load_spec parse_spec"
    ),
    "warmroute.routing": "PrefixAwareId PrefixAwareRoutingConfig RoutingConfig",
    "warmroute.routing_strategy": "RoutingStrategy",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - one list of names, not two.


if not TYPE_CHECKING:  # Type checkers know the names from the imports above, and report any other.

    def __getattr__(name: str) -> object:
        """Load a public name from its room."""
        if name == "__version__":
            from importlib.metadata import version

            return version("warmroute")
        if name not in _HOME_OF:
            raise AttributeError(f"module 'warmroute' has no attribute {name!r}")
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
