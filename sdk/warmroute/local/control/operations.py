"""The API calls of the control plane, by name."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from warmroute.local.control import components, endpoint_configs, endpoints, models
from warmroute.local.control.constraints import refuse_violations

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.local.control.registry import Registry, Request, Response

OPERATIONS: dict[str, Callable[[Registry, Request], Response]] = {
    "CreateModel": models.create_model,
    "DescribeModel": models.describe_model,
    "ListModels": models.list_models,
    "DeleteModel": models.delete_model,
    "CreateEndpointConfig": endpoint_configs.create_endpoint_config,
    "DescribeEndpointConfig": endpoint_configs.describe_endpoint_config,
    "ListEndpointConfigs": endpoint_configs.list_endpoint_configs,
    "DeleteEndpointConfig": endpoint_configs.delete_endpoint_config,
    "CreateEndpoint": endpoints.create_endpoint,
    "DescribeEndpoint": endpoints.describe_endpoint,
    "ListEndpoints": endpoints.list_endpoints,
    "UpdateEndpoint": endpoints.update_endpoint,
    "UpdateEndpointWeightsAndCapacities": endpoints.update_endpoint_weights_and_capacities,
    "DeleteEndpoint": endpoints.delete_endpoint,
    "CreateInferenceComponent": components.create_inference_component,
    "DescribeInferenceComponent": components.describe_inference_component,
    "ListInferenceComponents": components.list_inference_components,
    "UpdateInferenceComponent": components.update_inference_component,
    "UpdateInferenceComponentRuntimeConfig": components.update_inference_component_runtime_config,
    "DeleteInferenceComponent": components.delete_inference_component,
}
"""What answers each call."""


def perform(registry: Registry, action: str, request: Request) -> Response:
    """Answer an API call.

    Args:
        registry: The account and region that it concerns.
        action: Name of the call, one of ``OPERATIONS``.
        request: Its input, under AWS's names; it is not kept.

    Returns:
        Its output, under AWS's names; not to be changed.

    Raises:
        RefusedError: SageMaker would answer with an error.
    """
    refuse_violations(action, request)
    with registry.lock:
        registry.settle()
        response = OPERATIONS[action](registry, deepcopy({k: v for k, v in request.items() if v is not None}))
        if not action.startswith(("Describe", "List")):
            registry.snapshots.clear()
        return response
