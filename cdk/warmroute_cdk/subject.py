"""What alarms and a dashboard are about: an endpoint of this app, or one that a spec describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import IncompleteSpecError
from warmroute_cdk.given import spec_of
from warmroute_cdk.place import region_of

if TYPE_CHECKING:
    from pathlib import Path

    from warmroute.hosting import EndpointSpec
    from warmroute_cdk.vllm_endpoint import VllmEndpoint


def subject_of(endpoint: VllmEndpoint | None, spec: EndpointSpec | str | Path | None, path: str) -> EndpointSpec:
    """The spec of what is watched.

    Args:
        endpoint: The endpoint, if it is made in this app.
        spec: A spec, or the path of its file, which wins over the endpoint's.
        path: Path of the construct that watches, which begins every message.

    Raises:
        IncompleteSpecError: Neither is given.
    """
    described = spec if spec is not None else getattr(endpoint, "spec", None)
    if described is None:
        raise IncompleteSpecError(f"{path}: nothing says what to watch.", "Give endpoint=..., or spec=...")
    return spec_of(described, path)


def region_watched(endpoint: VllmEndpoint | None, spec: EndpointSpec) -> str | None:
    """The region that SageMaker publishes the metrics in; None where it is known at deployment only.

    Args:
        endpoint: The endpoint, if it is made in this app.
        spec: Its spec.
    """
    return (region_of(endpoint) if endpoint else None) or spec.region
