"""AWS CDK constructs for endpoints with prefix-aware routing."""

# ruff: noqa: E402 - the CDK starts Node when it is imported.
from warmroute_cdk.node import require_extra, use_bundled_node

require_extra()
use_bundled_node()

from warmroute_cdk.access import EndpointAccess, IVllmEndpoint
from warmroute_cdk.alarm_settings import AlarmSettings, LatencyAlarm, MetricAlarm, QueryAlarm
from warmroute_cdk.alarms import EndpointAlarms
from warmroute_cdk.bound import BoundSpec
from warmroute_cdk.dashboard import EndpointDashboard
from warmroute_cdk.endpoint_metrics import ComponentMetrics, VariantMetrics
from warmroute_cdk.execution_role import ExecutionPolicy, ExecutionRole
from warmroute_cdk.experiment import RoutingExperiment
from warmroute_cdk.failures import ConstructError
from warmroute_cdk.imported import ImportedEndpoint
from warmroute_cdk.parts import AutoScaling, Endpoint, EndpointConfiguration, InferenceComponents, Models
from warmroute_cdk.spec_constructs import SpecConstructs
from warmroute_cdk.stack import EndpointStack
from warmroute_cdk.stack_options import EndpointStackOptions, StackOptions
from warmroute_cdk.vllm_endpoint import VllmEndpoint
from warmroute_cdk.wake_up import WakeUp

__all__ = [
    "AlarmSettings",
    "AutoScaling",
    "BoundSpec",
    "ComponentMetrics",
    "ConstructError",
    "Endpoint",
    "EndpointAccess",
    "EndpointAlarms",
    "EndpointConfiguration",
    "EndpointDashboard",
    "EndpointStack",
    "EndpointStackOptions",
    "ExecutionPolicy",
    "ExecutionRole",
    "IVllmEndpoint",
    "ImportedEndpoint",
    "InferenceComponents",
    "LatencyAlarm",
    "MetricAlarm",
    "Models",
    "QueryAlarm",
    "RoutingExperiment",
    "SpecConstructs",
    "StackOptions",
    "VariantMetrics",
    "VllmEndpoint",
    "WakeUp",
]
