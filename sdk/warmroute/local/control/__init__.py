"""The control plane of the local endpoint: moto's SageMaker, extended to live and to refuse as SageMaker does."""

from warmroute.local.control.clock import Clock, Durations
from warmroute.local.control.http import control_plane
from warmroute.local.control.install import install
from warmroute.local.control.lookup import account_of, endpoint_in_force, existing_endpoints, fail_next_deployment
from warmroute.local.control.readiness import NotServingError, Readiness
from warmroute.local.control.snapshot import ComponentState, EndpointState, VariantState

__all__ = [
    "Clock",
    "ComponentState",
    "Durations",
    "EndpointState",
    "NotServingError",
    "Readiness",
    "VariantState",
    "account_of",
    "control_plane",
    "endpoint_in_force",
    "existing_endpoints",
    "fail_next_deployment",
    "install",
]
