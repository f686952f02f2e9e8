"""Inference components and LoRA adapters: models that share the instances of a variant."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from warmroute.hosting.containers import Environment
from warmroute.hosting.guardrails import AutoRollbackConfig, Timeout, Wait
from warmroute.hosting.metrics import ContainerMetricsConfig
from warmroute.hosting.tags import Tags
from warmroute.hosting.text import AcceleratorPartitionType, ImageUri, InstanceType, ModelName, Name, Url
from warmroute.settings import Many, Settings


class ComponentContainer(Settings):
    """The container of a component. Source: botocore ``InferenceComponentContainerSpecification``."""

    image: ImageUri | None = None
    """Registry path of the image."""

    artifact_url: Url | None = None
    """A tar.gz in S3: the model, or the adapter's weights."""

    environment: Environment | None = Field(default=None, repr=False)  # May hold a token.
    """Environment variables."""

    container_metrics_config: ContainerMetricsConfig | None = None
    """Metrics of the container."""


class StartupParameters(Settings):
    """How long a copy may take to start. Source: botocore ``InferenceComponentStartupParameters``."""

    model_data_download_timeout_in_seconds: int | None = Field(default=None, ge=60, le=3_600)
    """Seconds to download and extract the artefacts."""

    container_startup_health_check_timeout_in_seconds: int | None = Field(default=None, ge=60, le=3_600)
    """Seconds until the container must answer ``/ping``."""


class ComputeResourceRequirements(Settings):
    """What one copy needs. Source: botocore ``InferenceComponentComputeResourceRequirements``."""

    number_of_cpu_cores_required: float | None = Field(default=None, ge=0.25)
    """CPU cores."""

    number_of_accelerator_devices_required: float | None = Field(default=None, ge=1)
    """GPUs."""

    min_memory_required_in_mb: int = Field(ge=128)
    """Host memory that is kept free for a copy, in megabytes."""

    max_memory_required_in_mb: int | None = Field(default=None, ge=128)
    """Host memory that a copy may use, in megabytes."""

    accelerator_partition_type: AcceleratorPartitionType | None = None
    """MIG profile, where the variant has a MIG layout."""


class DataCacheConfig(Settings):
    """Local caching of artefacts and images. Source: botocore ``InferenceComponentDataCacheConfig``."""

    enable_caching: bool
    """Whether instances keep artefacts and images for further copies."""


class AvailabilityZoneBalance(Settings):
    """How evenly copies are spread over zones. Source: botocore ``InferenceComponentAvailabilityZoneBalance``."""

    enforcement_mode: Literal["PERMISSIVE"]
    """Placement goes on where balance is impossible."""

    max_imbalance: int | None = Field(default=None, ge=0, le=100)
    """Largest difference in copies between two zones."""


class SchedulingConfig(Settings):
    """Where copies are placed. Source: botocore ``InferenceComponentSchedulingConfig``."""

    placement_strategy: Literal["SPREAD", "BINPACK"]
    """On as many instances as possible, or as few."""

    availability_zone_balance: AvailabilityZoneBalance | None = None
    """How evenly copies are spread over zones."""


class ComponentSpecification(Settings):
    """What a component runs. Source: botocore ``InferenceComponentSpecification``."""

    instance_type: InstanceType | None = None
    """Instance type that these values are for, where there are several specifications."""

    model_name: ModelName | None = None
    """A model of the spec or of the account; by default the spec's ``model``."""

    container: ComponentContainer | None = None
    """A container of its own, instead of a model; for an adapter, its weights."""

    startup_parameters: StartupParameters | None = None
    """How long a copy may take to start."""

    compute_resource_requirements: ComputeResourceRequirements | None = None
    """What one copy needs; not for an adapter."""

    base_inference_component_name: ModelName | None = None
    """The component that an adapter is loaded into; makes this component an adapter."""

    data_cache_config: DataCacheConfig | None = None
    """Local caching of artefacts and images."""

    scheduling_config: SchedulingConfig | None = None
    """Where copies are placed."""


class ComponentRuntimeConfig(Settings):
    """How many copies run. Source: botocore ``InferenceComponentRuntimeConfig``."""

    copy_count: int = Field(ge=0)
    """Copies to run."""


class CopyCapacitySize(Settings):
    """A part of a component's copies. Source: botocore ``InferenceComponentCapacitySize``."""

    type: Literal["COPY_COUNT", "CAPACITY_PERCENT"]
    """Whether the value counts copies or is a percentage of them."""

    value: int = Field(ge=1)
    """Copies, or percent."""


class ComponentRollingUpdatePolicy(Settings):
    """Copies replaced batch by batch. Source: botocore ``InferenceComponentRollingUpdatePolicy``."""

    maximum_batch_size: CopyCapacitySize
    """Copies replaced at a time; 5 to 50 percent."""

    wait_interval_in_seconds: Wait
    """Seconds between two batches."""

    maximum_execution_timeout_in_seconds: Timeout | None = None
    """Seconds after which the update is rolled back."""

    rollback_maximum_batch_size: CopyCapacitySize | None = None
    """Batch of a rollback."""


class ComponentDeploymentConfig(Settings):
    """How a component is updated. Source: botocore ``InferenceComponentDeploymentConfig``."""

    rolling_update_policy: ComponentRollingUpdatePolicy
    """Copies replaced batch by batch."""

    auto_rollback_configuration: AutoRollbackConfig | None = None
    """Alarms that roll the update back."""


class InferenceComponent(Settings):
    """A model, or a LoRA adapter, on the instances of a variant. Source: botocore ``CreateInferenceComponentInput``."""

    name: ModelName = Field(
        validation_alias=AliasChoices("InferenceComponentName"), serialization_alias="InferenceComponentName"
    )
    """Name of the component, unique in the account and region."""

    variant_name: Name | None = None
    """Variant whose instances it runs on; by default the only one. None for an adapter."""

    specification: ComponentSpecification | None = None
    """What it runs."""

    specifications: Annotated[Many[ComponentSpecification], Field(min_length=1, max_length=5)] | None = None
    """What it runs, one for each instance type of the variant's pools."""

    runtime_config: ComponentRuntimeConfig | None = None
    """How many copies run; not for an adapter."""

    deployment_config: ComponentDeploymentConfig | None = None
    """How it is updated."""

    tags: Tags | None = None
    """Tags of the component."""

    @property
    def all_specifications(self) -> tuple[ComponentSpecification, ...]:
        """What it runs: the one specification, or one for each instance type."""
        return tuple(specification for _, specification in self.specifications_by_path)

    @property
    def specifications_by_path(self) -> tuple[tuple[str, ComponentSpecification], ...]:
        """What it runs, each with its path in the component: ``specification``, or ``specifications[0]`` and on."""
        only = (("specification", self.specification),) if self.specification else ()
        several = ((f"specifications[{position}]", each) for position, each in enumerate(self.specifications or ()))
        return (*only, *several)

    @property
    def base(self) -> str | None:
        """The component that this adapter is loaded into, or None."""
        return next(
            (
                each.base_inference_component_name
                for each in self.all_specifications
                if each.base_inference_component_name
            ),
            None,
        )
