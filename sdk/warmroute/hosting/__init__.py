"""The typed resources of an endpoint, the spec that ties them together, and the checks across them."""

from warmroute.hosting import checks as _checks  # noqa: F401 - puts the checks in force.
from warmroute.hosting.async_inference import (
    AsyncInferenceClientConfig,
    AsyncInferenceConfig,
    AsyncInferenceNotificationConfig,
    AsyncInferenceOutputConfig,
)
from warmroute.hosting.checking import all_checks, check
from warmroute.hosting.components import (
    AvailabilityZoneBalance,
    ComponentContainer,
    ComponentDeploymentConfig,
    ComponentRollingUpdatePolicy,
    ComponentRuntimeConfig,
    ComponentSpecification,
    ComputeResourceRequirements,
    CopyCapacitySize,
    DataCacheConfig,
    InferenceComponent,
    SchedulingConfig,
    StartupParameters,
)
from warmroute.hosting.containers import (
    AdditionalModelDataSource,
    ContainerDefinition,
    HubAccessConfig,
    ImageConfig,
    ModelAccessConfig,
    ModelDataSource,
    MultiModelConfig,
    RepositoryAuthConfig,
    S3ModelDataSource,
)
from warmroute.hosting.data_capture import CaptureContentTypeHeader, CaptureOption, DataCaptureConfig
from warmroute.hosting.document import load_spec, parse_spec
from warmroute.hosting.explainer import (
    ClarifyExplainerConfig,
    ClarifyInferenceConfig,
    ClarifyShapBaselineConfig,
    ClarifyShapConfig,
    ClarifyTextConfig,
    ExplainerConfig,
)
from warmroute.hosting.guardrails import (
    Alarm,
    AutoRollbackConfig,
    BlueGreenUpdatePolicy,
    CapacitySize,
    DeploymentConfig,
    RollingUpdatePolicy,
    TrafficRoutingConfig,
)
from warmroute.hosting.images import inference_ami_version, vllm_image_uri
from warmroute.hosting.instances import Instance, instance
from warmroute.hosting.metrics import ContainerMetricsConfig, MetricsConfig, MetricsEndpoint
from warmroute.hosting.models import InferenceExecutionConfig, Model
from warmroute.hosting.network import CrossRegionTrafficConfig, VpcConfig
from warmroute.hosting.scaling import AutoScaling, ManagedInstanceScaling, ScaleInPolicy, TargetTracking
from warmroute.hosting.schema import json_schema
from warmroute.hosting.spec import EndpointSpec, SilencedCheck
from warmroute.hosting.variants import (
    AcceleratorPartitionLayout,
    CapacityReservationConfig,
    CoreDumpConfig,
    InstancePool,
    ProductionVariant,
    ServerlessConfig,
)
from warmroute.hosting.vllm import Image, ModelSource, VllmContainer, VllmSettings

__all__ = [
    "AcceleratorPartitionLayout",
    "AdditionalModelDataSource",
    "Alarm",
    "AsyncInferenceClientConfig",
    "AsyncInferenceConfig",
    "AsyncInferenceNotificationConfig",
    "AsyncInferenceOutputConfig",
    "AutoRollbackConfig",
    "AutoScaling",
    "AvailabilityZoneBalance",
    "BlueGreenUpdatePolicy",
    "CapacityReservationConfig",
    "CapacitySize",
    "CaptureContentTypeHeader",
    "CaptureOption",
    "ClarifyExplainerConfig",
    "ClarifyInferenceConfig",
    "ClarifyShapBaselineConfig",
    "ClarifyShapConfig",
    "ClarifyTextConfig",
    "ComponentContainer",
    "ComponentDeploymentConfig",
    "ComponentRollingUpdatePolicy",
    "ComponentRuntimeConfig",
    "ComponentSpecification",
    "ComputeResourceRequirements",
    "ContainerDefinition",
    "ContainerMetricsConfig",
    "CopyCapacitySize",
    "CoreDumpConfig",
    "CrossRegionTrafficConfig",
    "DataCacheConfig",
    "DataCaptureConfig",
    "DeploymentConfig",
    "EndpointSpec",
    "ExplainerConfig",
    "HubAccessConfig",
    "Image",
    "ImageConfig",
    "InferenceComponent",
    "InferenceExecutionConfig",
    "Instance",
    "InstancePool",
    "ManagedInstanceScaling",
    "MetricsConfig",
    "MetricsEndpoint",
    "Model",
    "ModelAccessConfig",
    "ModelDataSource",
    "ModelSource",
    "MultiModelConfig",
    "ProductionVariant",
    "RepositoryAuthConfig",
    "RollingUpdatePolicy",
    "S3ModelDataSource",
    "ScaleInPolicy",
    "SchedulingConfig",
    "ServerlessConfig",
    "SilencedCheck",
    "StartupParameters",
    "TargetTracking",
    "TrafficRoutingConfig",
    "VllmContainer",
    "VllmSettings",
    "VpcConfig",
    "all_checks",
    "check",
    "inference_ami_version",
    "instance",
    "json_schema",
    "load_spec",
    "parse_spec",
    "vllm_image_uri",
]
