"""The specs that schedules go between, and the changes from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deploy.faults.jobs import Apply, Destroy, RollBack
from deploy.faults.neighbours import ENDPOINT, ROLE

from warmroute.hosting import EndpointSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from deploy.faults.jobs import Job

_TYPE = "ml.g6.12xlarge"


def _spec(**fields: Any) -> EndpointSpec:
    variant = {"name": "main", "instance_type": _TYPE, "initial_instance_count": 2, **fields.pop("variant", {})}
    model = {"source": {"hugging_face": "meta-llama/Llama-3.1-8B-Instruct"}, **fields.pop("model", {})}
    values = {"name": ENDPOINT, "region": "us-east-1", "execution_role_arn": ROLE, "model": model}
    return EndpointSpec.parse({**values, "variants": [variant], **fields})


def _base(name: str, memory: int = 1_024, copies: int = 2) -> dict[str, Any]:
    needs = {"min_memory_required_in_mb": memory, "number_of_accelerator_devices_required": 1}
    specification = {"compute_resource_requirements": needs}
    return {"name": name, "specification": specification, "runtime_config": {"copy_count": copies}}


def _adapter(name: str, base: str) -> dict[str, Any]:
    container = {"artifact_url": f"s3://adapters/{name}.tar.gz"}
    return {"name": name, "specification": {"base_inference_component_name": base, "container": container}}


def _scaled(**of: str) -> dict[str, Any]:
    return {**of, "min_capacity": 1, "max_capacity": 6, "target_tracking": {"target_value": 5}}


_PREFIX = {"prefix_length": 4_096, "concurrency_threshold": 16}
_ROUTING = {"routing_config": {"routing_strategy": "PREFIX_AWARE", "prefix_aware_routing_config": _PREFIX}}

PLAIN = _spec()
ROUTED = _spec(variant=_ROUTING)
IMAGE = _spec(model={"image": {"framework": "vllm", "version": "0.29.0"}})
OLDER_IMAGE = _spec(model={"image": {"framework": "vllm", "version": "0.28.0"}})
COUNT = _spec(variant={"initial_instance_count": 4})
SCALED = _spec(auto_scaling=[_scaled(variant_name="main")])
TWO = _spec().model_copy(
    update={"variants": (*PLAIN.variants, PLAIN.variants[0].model_copy(update={"name": "canary"}))}
)
SHARED = _spec(inference_components=[_base("llama")])
ADAPTERS = _spec(
    inference_components=[_base("llama"), _adapter("legal", "llama"), _adapter("medical", "llama")],
    auto_scaling=[_scaled(inference_component_name="llama")],
)
GROWN = _spec(inference_components=[_base("llama", memory=2_048), _base("qwen"), _adapter("legal", "llama")])


class Transition(NamedTuple):
    """A change of what has been deployed."""

    name: str
    before: tuple[EndpointSpec, ...]
    """What is deployed first, in order."""

    job: Callable[[], Job]
    """Makes the change."""


def _to(spec: EndpointSpec) -> Callable[[], Job]:
    return lambda: Apply(spec)


TRANSITIONS = (
    Transition("create", (), _to(PLAIN)),
    Transition("create with components", (), _to(ADAPTERS)),
    Transition("change the routing", (PLAIN,), _to(ROUTED)),
    Transition("change the routing and delete old configurations", (PLAIN, IMAGE, OLDER_IMAGE), _to(ROUTED)),
    Transition("change the image", (ROUTED,), _to(IMAGE)),
    Transition("change the count", (PLAIN,), _to(COUNT)),
    Transition("add scaling", (PLAIN,), _to(SCALED)),
    Transition("remove scaling", (SCALED,), _to(PLAIN)),
    Transition("add a variant", (PLAIN,), _to(TWO)),
    Transition("add adapters and scaling", (SHARED,), _to(ADAPTERS)),
    Transition("remove adapters and scaling", (ADAPTERS,), _to(SHARED)),
    Transition("change components", (ADAPTERS,), _to(GROWN)),
    Transition("from a model to components", (ROUTED,), _to(SHARED)),
    Transition("from components to a model", (ADAPTERS,), _to(PLAIN)),
    Transition("roll back", (PLAIN, ROUTED, IMAGE), RollBack),
    Transition("destroy", (SCALED, ROUTED), Destroy),
    Transition("destroy with components", (ADAPTERS,), Destroy),
)

PAIRS: tuple[tuple[Transition, Callable[[], Job]], ...] = (
    (TRANSITIONS[0], _to(PLAIN)),
    (TRANSITIONS[0], _to(ROUTED)),
    (TRANSITIONS[0], Destroy),
    (TRANSITIONS[2], _to(IMAGE)),
    (TRANSITIONS[3], _to(IMAGE)),
    (TRANSITIONS[3], _to(PLAIN)),
    (TRANSITIONS[3], RollBack),
    (TRANSITIONS[3], Destroy),
    (TRANSITIONS[6], _to(COUNT)),
    (TRANSITIONS[11], _to(SHARED)),
    (TRANSITIONS[11], Destroy),
    (TRANSITIONS[14], _to(PLAIN)),
)
"""A change, and what somebody else does at the same time."""

WHILE_CLEANING: tuple[tuple[Transition, Callable[[], Job]], ...] = (
    (TRANSITIONS[3], _to(PLAIN)),
    (Transition("change the image and delete an old model", (IMAGE, PLAIN, OLDER_IMAGE), _to(ROUTED)), _to(IMAGE)),
)
"""A change that deletes something old, and what somebody else does at the same time with just that."""
