"""The control plane as other code in this process sees it: what is in force, and faults to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import LocalEndpointError
from warmroute.local.control.snapshot import state_of

if TYPE_CHECKING:
    from warmroute.local.control.snapshot import EndpointState

DEFAULT_ACCOUNT = "123456789012"
"""The account of any access key that moto does not know. Source: moto ``DEFAULT_ACCOUNT_ID``."""


def endpoint_in_force(account: str, region: str, name: str) -> EndpointState | None:
    """An endpoint as it serves now; cheap enough for every request.

    Args:
        account: Number of the AWS account.
        region: AWS region.
        name: The endpoint's name, in the case in which it was created.

    Returns:
        The same object until something changes; none when there is no such endpoint.
    """
    from warmroute.local.control.hooks import existing_registry

    registry = existing_registry(account, region)
    return state_of(registry, name) if registry is not None else None


def existing_endpoints() -> list[tuple[str, str, str]]:
    """Account, region and name of every endpoint that there is, whatever its status."""
    from warmroute.local.control.hooks import existing_registries

    return [
        (registry.account, registry.region, name)
        for registry in existing_registries()
        for name in list(registry.endpoints)
    ]


def account_of(access_key: str) -> str:
    """The account that an access key belongs to; ``DEFAULT_ACCOUNT`` where nobody made it here."""
    from warmroute.local.control import hooks

    return hooks.account_of(access_key)


def fail_next_deployment(
    endpoint_name: str, reason: str, *, account: str = DEFAULT_ACCOUNT, region: str = "us-east-1"
) -> None:
    """Let the next CreateEndpoint or UpdateEndpoint of an endpoint fail, once.

    A creation ends as Failed; an update rolls back to the configuration in force. A reset of moto forgets it.

    Args:
        endpoint_name: The endpoint, which need not exist yet.
        reason: What DescribeEndpoint will say in FailureReason.
        account: Number of the AWS account.
        region: AWS region.

    Raises:
        LocalEndpointError: There is no such region, or no reason.
    """
    from warmroute.local.control.hooks import registry_at

    if not reason:
        raise LocalEndpointError("The reason is empty.", "Say why the deployment fails.")
    try:
        registry = registry_at(account, region)
    except KeyError:
        raise LocalEndpointError(f"SageMaker has no region {region}.", "Use a region such as us-east-1.") from None
    with registry.lock:
        registry.faults[endpoint_name] = reason
