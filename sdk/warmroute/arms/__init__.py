"""What serves the arms of a comparison: local endpoints, endpoints on SageMaker, one fleet that changes its routing."""

from __future__ import annotations

from warmroute.arms.building import ArmOptions, Arms, arms_of, check_names, is_on_sagemaker
from warmroute.arms.cross_over import cross_over
from warmroute.arms.endpoint import EndpointArm
from warmroute.arms.found import FoundEndpoint, PutBack
from warmroute.arms.local import LocalArm
from warmroute.arms.naming import ArmName, named
from warmroute.arms.switchback import SwitchbackArm

__all__ = [
    "ArmName",
    "ArmOptions",
    "Arms",
    "EndpointArm",
    "FoundEndpoint",
    "LocalArm",
    "PutBack",
    "SwitchbackArm",
    "arms_of",
    "check_names",
    "cross_over",
    "is_on_sagemaker",
    "named",
]
