"""One AWS resource as every target needs it, and the references by which resources name each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind(StrEnum):
    """What a resource is."""

    MODEL = "Model"
    ENDPOINT_CONFIG = "EndpointConfig"
    ENDPOINT = "Endpoint"
    INFERENCE_COMPONENT = "InferenceComponent"
    SCALABLE_TARGET = "ScalableTarget"
    SCALING_POLICY = "ScalingPolicy"


NAME_PROPERTY = {
    Kind.MODEL: "ModelName",
    Kind.ENDPOINT_CONFIG: "EndpointConfigName",
    Kind.ENDPOINT: "EndpointName",
    Kind.INFERENCE_COMPONENT: "InferenceComponentName",
}
"""Property that holds the name of a resource, and by which others refer to it."""

FREE_KEYS = frozenset({"Environment"})
"""Properties whose keys are the user's own words rather than AWS's names."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The name of another resource of the same spec."""

    kind: Kind
    label: str = ""
    """Which of its kind; empty where there is one."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Text that holds the names of other resources."""

    parts: tuple[str | Ref, ...]


@dataclass(frozen=True, slots=True)
class UnsetRole:
    """The execution role that a resource needs and the spec leaves open."""


Reference = Ref | Joined | UnsetRole


@dataclass(frozen=True, slots=True)
class Resource:
    """One AWS resource with every default resolved.

    Values are plain (mappings, lists, text, numbers, booleans) except for references.
    """

    kind: Kind
    properties: dict[str, Any]
    """Properties under AWS's names, as the resource is created; without the name where it derives from the content."""

    label: str = ""
    """Which of its kind; empty where there is one."""

    on_update: dict[str, Any] = field(default_factory=dict)
    """Properties that matter to updates alone, and that the create operation does not take."""

    after: tuple[Ref, ...] = ()
    """Resources that must exist first although no property refers to them."""

    @property
    def ref(self) -> Ref:
        """How others refer to it."""
        return Ref(self.kind, self.label)

    @property
    def all_properties(self) -> dict[str, Any]:
        """The properties of creation and those of updates, for a target that keeps them in one place."""
        return {**self.properties, **self.on_update}


def resolve(value: Any, replace: Callable[[Reference], Any]) -> Any:
    """A new value in which every reference is replaced.

    Args:
        value: A property of a resource.
        replace: What stands for a reference in the target.
    """
    if isinstance(value, Reference):
        return replace(value)
    if isinstance(value, dict):
        return {key: resolve(item, replace) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, replace) for item in value]
    return value
