"""A production variant: one model on one fleet, field by field as CreateEndpointConfig takes it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from warmroute.hosting.scaling import ManagedInstanceScaling
from warmroute.hosting.text import (
    AcceleratorPartitionType,
    DestinationS3Uri,
    InstanceType,
    KmsKeyId,
    MlReservationArn,
    ModelName,
    Name,
)
from warmroute.routing import PrefixAwareRoutingConfig, RoutingConfig
from warmroute.routing_strategy import RoutingStrategy
from warmroute.settings import Many, Settings

InferenceAmiVersion = Literal[
    "al2-ami-sagemaker-inference-gpu-2",
    "al2-ami-sagemaker-inference-gpu-2-1",
    "al2-ami-sagemaker-inference-gpu-3-1",
    "al2-ami-sagemaker-inference-neuron-2",
    "al2023-ami-sagemaker-inference-gpu-4-1",
]
"""Operating system image of the instances. Source: botocore ``ProductionVariantInferenceAmiVersion``."""


class InstancePool(Settings):
    """One of the instance types that a variant may use. Source: botocore ``InstancePool``."""

    instance_type: InstanceType
    """ML instance type of the pool."""

    model_name_override: ModelName | None = None
    """Model for this pool, where it differs from the variant's."""

    priority: int = Field(ge=1, le=5)
    """Order in which pools are tried; 1 is first."""


class CoreDumpConfig(Settings):
    """Where core dumps of a container go. Source: botocore ``ProductionVariantCoreDumpConfig``."""

    destination_s3_uri: DestinationS3Uri
    """Prefix of the dumps."""

    kms_key_id: KmsKeyId | None = None
    """Key that encrypts the dumps."""


class ServerlessConfig(Settings):
    """A variant without instances of its own. Source: botocore ``ProductionVariantServerlessConfig``."""

    memory_size_in_mb: Literal[1_024, 2_048, 3_072, 4_096, 5_120, 6_144]
    """Memory in megabytes, in steps of 1,024."""

    max_concurrency: int = Field(ge=1, le=200)
    """Requests at a time."""

    provisioned_concurrency: int | None = Field(default=None, ge=1, le=200)
    """Requests at a time for which capacity is kept."""


class CapacityReservationConfig(Settings):
    """Reserved capacity. Source: botocore ``ProductionVariantCapacityReservationConfig``."""

    capacity_reservation_preference: Literal["capacity-reservations-only"] | None = None
    """Use nothing but the reservation."""

    ml_reservation_arn: MlReservationArn | None = None
    """The reservation."""


class AcceleratorPartitionLayout(Settings):
    """How one GPU is cut into MIG partitions. Source: botocore ``AcceleratorPartitionLayout``."""

    accelerator_partition_types: Annotated[Many[AcceleratorPartitionType], Field(max_length=32)] | None = None
    """MIG profiles, in order."""


class ProductionVariant(Settings):
    """One model on one fleet of instances. Source: botocore ``ProductionVariant`` (1.44.8)."""

    name: Name = Field(validation_alias=AliasChoices("VariantName"), serialization_alias="VariantName")
    """Name of the variant; the same name must be kept for an update with guardrails."""

    model_name: ModelName | None = None
    """A model of the spec or of the account; by default the spec's ``model``. None with inference components."""

    initial_instance_count: int | None = Field(default=None, ge=1)
    """Instances to start with."""

    instance_type: InstanceType | None = None
    """ML instance type, for example ``ml.p5.48xlarge``."""

    instance_pools: Annotated[Many[InstancePool], Field(min_length=1, max_length=5)] | None = None
    """Several instance types in order of preference, instead of ``instance_type``."""

    variant_instance_provision_timeout_in_seconds: int | None = Field(default=None, ge=300, le=3_600)
    """Seconds to wait for one pool's instances before the next pool is tried."""

    initial_variant_weight: float | None = Field(default=None, ge=0)
    """Share of the traffic relative to the other variants; SageMaker's default is 1."""

    accelerator_type: (
        Literal[
            "ml.eia1.medium", "ml.eia1.large", "ml.eia1.xlarge", "ml.eia2.medium", "ml.eia2.large", "ml.eia2.xlarge"
        ]
        | None
    ) = None
    """Elastic Inference, which SageMaker no longer offers."""

    core_dump_config: CoreDumpConfig | None = None
    """Where core dumps go."""

    serverless_config: ServerlessConfig | None = None
    """A variant without instances, instead of ``instance_type``."""

    volume_size_in_gb: int | None = Field(default=None, ge=1, le=512)
    """Size of the storage volume in gigabytes; not for instance types with local NVMe storage."""

    model_data_download_timeout_in_seconds: int | None = Field(default=None, ge=60, le=3_600)
    """Seconds to download and extract the artefacts."""

    container_startup_health_check_timeout_in_seconds: int | None = Field(default=None, ge=60, le=3_600)
    """Seconds until the container must answer ``/ping``."""

    enable_ssm_access: bool | None = None
    """Whether the instances can be entered through Systems Manager."""

    managed_instance_scaling: ManagedInstanceScaling | None = None
    """SageMaker adds and removes instances as component copies need them."""

    routing_config: RoutingConfig | None = None
    """How requests are spread over the instances; SageMaker's default is RANDOM."""

    inference_ami_version: InferenceAmiVersion | None = None
    """Operating system image of the instances; by default derived from the image's CUDA version."""

    capacity_reservation_config: CapacityReservationConfig | None = None
    """Reserved capacity."""

    accelerator_partition_layouts: (
        Annotated[Many[AcceleratorPartitionLayout], Field(min_length=1, max_length=32)] | None
    ) = None
    """MIG layout of the GPUs, for inference components on parts of a GPU."""

    @property
    def instance_types(self) -> tuple[str, ...]:
        """Every instance type that the variant may use; empty when it is serverless."""
        if self.instance_pools:
            return tuple(pool.instance_type for pool in self.instance_pools)
        return (self.instance_type,) if self.instance_type else ()

    @property
    def routing_strategy(self) -> RoutingStrategy:
        """The strategy in force; RANDOM where none is configured."""
        return self.routing_config.routing_strategy if self.routing_config else RoutingStrategy.RANDOM

    @property
    def prefix_aware_routing_config(self) -> PrefixAwareRoutingConfig | None:
        """The settings of PREFIX_AWARE; none under another strategy."""
        return self.routing_config.prefix_aware_routing_config if self.routing_config else None

    @property
    def is_prefix_aware(self) -> bool:
        """Whether requests are routed by their beginning."""
        return self.routing_strategy is RoutingStrategy.PREFIX_AWARE
