"""What SageMaker's API takes and CloudFormation does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warmroute.render.resource import FREE_KEYS, Kind
from warmroute.render.unsupported import UnsupportedByTargetError
from warmroute.routing_strategy import RoutingStrategy
from warmroute.rules import join_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.render.resource import Resource

TARGET = "CloudFormation's schemas of 2026-10-20, as in cfn-lint 1.58.0; Terraform's awscc follows them"
"""What was looked at; a test compares the tables below with it."""

_CONTAINER = (
    "AdditionalModelDataSources",
    "ContainerMetricsConfig",
    "ModelDataSource.S3DataSource.ETag",
    "ModelDataSource.S3DataSource.ManifestEtag",
    "ModelDataSource.S3DataSource.ManifestS3Uri",
)

MISSING_PROPERTIES: Mapping[Kind, frozenset[str]] = {
    Kind.MODEL: frozenset(f"{holder}.{name}" for holder in ("PrimaryContainer", "Containers") for name in _CONTAINER),
    Kind.ENDPOINT_CONFIG: frozenset(
        {
            "CrossRegionTrafficConfig",
            *(
                f"{variants}.{name}"
                for variants in ("ProductionVariants", "ShadowProductionVariants")
                for name in ("AcceleratorPartitionLayouts", "AcceleratorType")
            ),
        }
    ),
    Kind.INFERENCE_COMPONENT: frozenset(
        {
            "Specification.InstanceType",
            "Specification.ComputeResourceRequirements.AcceleratorPartitionType",
            "Specifications.ComputeResourceRequirements.AcceleratorPartitionType",
            "Specifications.BaseInferenceComponentName",
        }
    ),
}
"""Properties of the API that CloudFormation has no name for, as paths without positions."""

MISSING_STRATEGIES = frozenset({RoutingStrategy.KV_AWARE})
"""Routing strategies of the API that CloudFormation does not take."""


def refuse_gaps(resources: Iterable[Resource]) -> None:
    """Refuse settings that CloudFormation has no place for.

    Args:
        resources: The resources of a spec.

    Raises:
        UnsupportedByTargetError: For the first of them.
    """
    for resource in resources:
        missing = MISSING_PROPERTIES.get(resource.kind, frozenset())
        for path, plain_path, value in _properties(resource.properties):
            where = join_path(resource.kind, path)
            if plain_path in missing:
                raise UnsupportedByTargetError(TARGET, where, "CloudFormation has no such property")
            if plain_path.endswith(".RoutingStrategy") and value in MISSING_STRATEGIES:
                raise UnsupportedByTargetError(TARGET, where, f"CloudFormation does not take {value}")


def _properties(value: Any, path: str = "", plain_path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every property below a value: its path, its path without positions, what it holds."""
    if isinstance(value, Mapping):
        for name, held in value.items():
            here = join_path(path, name), join_path(plain_path, name)
            yield *here, held
            if name not in FREE_KEYS:
                yield from _properties(held, *here)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for position, item in enumerate(value):
            yield from _properties(item, join_path(path, position), plain_path)
