"""Checks of variants: which fields exclude each other, and what an instance type allows (WR2..)."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.instance_types import INSTANCE_TYPES
from warmroute.hosting.instances import instance
from warmroute.hosting.spec import EndpointSpec
from warmroute.hosting.variants import InstancePool, ProductionVariant, ServerlessConfig
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@rule("WR201", Severity.ERROR, on=EndpointSpec, source="botocore CreateEndpointConfigInput: ShadowProductionVariants")
def one_shadow_beside_one_variant(spec: EndpointSpec) -> Iterator[Problem]:
    """With a shadow variant there is exactly one production variant and one shadow variant."""
    shadows = len(spec.shadow_variants or ())
    if shadows and (shadows, len(spec.variants)) != (1, 1):
        yield problem(
            "shadow_variants",
            f"{shadows} shadow and {len(spec.variants)} production variants.",
            "SageMaker takes exactly one of each when shadow variants are used.",
        )


@rule("WR202", Severity.ERROR, on=EndpointSpec, source="inferred: a variant is addressed by its name")
def unique_variant_names(spec: EndpointSpec) -> Iterator[Problem]:
    """Traffic, metrics and scaling address a variant by its name."""
    for name in _repeated([variant.name for variant in spec.all_variants]):
        yield problem("variants", f"The name {name!r} is given to several variants.", "Give each its own name.")


@rule(
    "WR203",
    Severity.ERROR,
    on=ProductionVariant,
    source="botocore ProductionVariant: InstancePools replaces InstanceType",
)
def one_kind_of_capacity(variant: ProductionVariant) -> Iterator[Problem]:
    """A variant runs on one instance type, on pools of several, or serverless."""
    given = [
        name for name in ("instance_type", "instance_pools", "serverless_config") if getattr(variant, name) is not None
    ]
    if len(given) != 1:
        yield problem(
            "",
            f"The variant has {' and '.join(given) if given else 'no capacity'}.",
            "Give exactly one of instance_type, instance_pools and serverless_config.",
        )


@rule("WR204", Severity.ERROR, on=ProductionVariant, source="inferred: a pool is chosen by its priority and type")
def distinct_pools(variant: ProductionVariant) -> Iterator[Problem]:
    """Two pools of one type or of one priority leave it open which is meant."""
    pools = variant.instance_pools or ()
    for name in _repeated([pool.instance_type for pool in pools]):
        yield problem("instance_pools", f"{name} stands in several pools.", "Give each pool its own instance type.")
    for priority in _repeated([pool.priority for pool in pools]):
        yield problem("instance_pools", f"Priority {priority} is given twice.", "Number the pools from 1, the first.")


@rule(
    "WR205",
    Severity.ERROR,
    on=ProductionVariant,
    source="botocore ProductionVariant: ServerlessConfig replaces the instance-based configuration",
)
def serverless_has_no_instances(variant: ProductionVariant) -> Iterator[Problem]:
    """A serverless variant has no instances that could be counted, scaled, routed to or set up."""
    if variant.serverless_config is None:
        return
    for name in _INSTANCE_FIELDS:
        if getattr(variant, name) is not None:
            yield problem(name, "does not go with serverless_config.", "Leave it out, or use instance_type.")


_INSTANCE_FIELDS = (
    "initial_instance_count",
    "managed_instance_scaling",
    "routing_config",
    "inference_ami_version",
    "volume_size_in_gb",
    "model_data_download_timeout_in_seconds",
    "container_startup_health_check_timeout_in_seconds",
    "variant_instance_provision_timeout_in_seconds",
    "capacity_reservation_config",
    "accelerator_partition_layouts",
    "enable_ssm_access",
)


@rule(
    "WR206",
    Severity.ERROR,
    on=ServerlessConfig,
    source="botocore ProductionVariantServerlessConfig: ProvisionedConcurrency",
)
def provisioned_within_maximum(serverless: ServerlessConfig) -> Iterator[Problem]:
    """Capacity that is kept cannot exceed capacity that may be used."""
    provisioned = serverless.provisioned_concurrency
    if provisioned is not None and provisioned > serverless.max_concurrency:
        yield problem(
            "provisioned_concurrency",
            f"{provisioned} is above max_concurrency of {serverless.max_concurrency}.",
            f"Use at most {serverless.max_concurrency}.",
        )


@rule(
    "WR207",
    Severity.ERROR,
    on=ProductionVariant,
    source="botocore ProductionVariant: AcceleratorType is no longer supported",
)
def no_elastic_inference(variant: ProductionVariant) -> Iterator[Problem]:
    """SageMaker no longer offers Elastic Inference."""
    if variant.accelerator_type:
        yield problem("accelerator_type", "Elastic Inference is no longer supported.", "Leave it out; use a GPU type.")


@rule("WR208", Severity.WARNING, on=ProductionVariant, source="botocore ProductionVariantInstanceType")
def known_instance_type(variant: ProductionVariant) -> Iterator[Problem]:
    """A misspelt instance type is refused only when the configuration is created."""
    if variant.instance_type:
        yield from _unknown("instance_type", variant.instance_type)


@rule("WR209", Severity.WARNING, on=InstancePool, source="botocore ProductionVariantInstanceType")
def known_pool_type(pool: InstancePool) -> Iterator[Problem]:
    """A misspelt instance type of a pool is refused only when the configuration is created."""
    yield from _unknown("instance_type", pool.instance_type)


def _unknown(at: str, instance_type: str) -> Iterator[Problem]:
    if instance_type not in INSTANCE_TYPES:
        near = difflib.get_close_matches(instance_type, INSTANCE_TYPES, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        yield problem(
            at,
            f"{instance_type} is not a type that SageMaker hosted on when this release was made.",
            f"{hint}Check it.",
        )


@rule(
    "WR210",
    Severity.WARNING,
    on=ProductionVariant,
    source="SageMaker developer guide: instance types with local storage",
)
def no_volume_on_local_storage(variant: ProductionVariant) -> Iterator[Problem]:
    """An instance type with local NVMe storage has no volume that could be sized."""
    local = _with_local_storage(variant)
    if variant.volume_size_in_gb is not None and local:
        yield problem(
            "volume_size_in_gb",
            f"{local[0]} stores on local NVMe disks, which have a fixed size.",
            "Leave volume_size_in_gb out.",
        )


@rule("WR211", Severity.WARNING, on=ProductionVariant, source="botocore CreateEndpointConfigInput: KmsKeyId")
def no_key_on_local_storage(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Local NVMe storage is encrypted by the hardware.

    SageMaker's older documentation says that the call fails with a key; the current one, that the key does not
    encrypt the local storage.
    """
    local = _with_local_storage(variant)
    if spec.kms_key_id is not None and local:
        yield problem(
            "instance_type" if variant.instance_type else "instance_pools",
            f"{local[0]} has local NVMe storage, which kms_key_id does not encrypt and for which it may be refused.",
            "Leave kms_key_id out of the spec; the disks are encrypted by the instance itself.",
        )


def _with_local_storage(variant: ProductionVariant) -> list[str]:
    return [name for name in variant.instance_types if (facts := instance(name)) and facts.local_nvme]


@rule(
    "WR212",
    Severity.ERROR,
    on=EndpointSpec,
    source="botocore ProductionVariant: ModelName; SageMaker developer guide: inference components",
)
def variants_of_one_kind(spec: EndpointSpec) -> Iterator[Problem]:
    """Either each variant serves a model, or all of them host inference components."""
    if not spec.inference_components:
        return
    for field in ("variants", "shadow_variants"):
        for position, variant in enumerate(getattr(spec, field) or ()):
            if variant.model_name:
                yield problem(
                    f"{field}[{position}].model_name",
                    "A variant that hosts inference components serves no model of its own.",
                    "Name the model in the component's specification.",
                )


@rule(
    "WR213",
    Severity.ERROR,
    on=EndpointSpec,
    source="SageMaker developer guide: inference components; Terraform docs of execution_role_arn",
)
def a_model_or_components(spec: EndpointSpec) -> Iterator[Problem]:
    """Where one variant serves a model of the account, the others need one too."""
    for field in ("variants", "shadow_variants"):
        for position, variant in enumerate(getattr(spec, field) or ()):
            if not spec.serves_components and variant.model_name is None and spec.model is None:
                yield problem(
                    f"{field}[{position}]",
                    "The variant serves no model.",
                    "Give the spec a model, or the variant a model_name.",
                )


@rule(
    "WR214", Severity.WARNING, on=ProductionVariant, source="botocore VariantWeight: traffic is in proportion to weight"
)
def some_traffic(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Variants that all weigh nothing get no traffic."""
    if all(each.initial_variant_weight == 0 for each in spec.variants) and variant in spec.variants:
        yield problem("initial_variant_weight", "Every variant weighs 0.", "Give at least one a weight above 0.")


@rule(
    "WR215",
    Severity.WARNING,
    on=ProductionVariant,
    source="user reports: health check of large models times out at SageMaker's default",
)
def time_to_load_a_large_model(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """A model that needs four GPUs or more rarely loads within SageMaker's default health check."""
    brought = not spec.serves_components and spec.model_named(variant.model_name) is not None
    many = [name for name in variant.instance_types if (facts := instance(name)) and facts.gpu_count >= 4]
    if brought and many and variant.container_startup_health_check_timeout_in_seconds is None:
        yield problem(
            "container_startup_health_check_timeout_in_seconds",
            f"not set; loading a model for {many[0]} can take many minutes.",
            "Set it, up to 3,600 seconds.",
        )


def _repeated(values: Sequence[str | int]) -> list[str | int]:
    return sorted({value for value in values if values.count(value) > 1}, key=str)
