"""What watches an endpoint where nobody says how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.loopback import local_endpoint_of
from warmroute.measure.telemetry.cloudwatch import CloudWatchObserver
from warmroute.measure.telemetry.joined import JoinedObserver
from warmroute.measure.telemetry.local_endpoint import local_observer
from warmroute.measure.telemetry.promql import PromqlObserver
from warmroute.measure.telemetry.promql_api import PromqlApi

if TYPE_CHECKING:
    from boto3.session import Session

    from warmroute.measure.telemetry.observer import Observer


def observer_of(
    session: Session,
    endpoint_name: str,
    variant_name: str = "",
    *,
    local_url: str = "",
) -> Observer:
    """An observer of an endpoint: by its own metrics on this machine, by CloudWatch on SageMaker.

    Args:
        session: The boto3 session that reaches it; its region is the endpoint's.
        endpoint_name: The endpoint.
        variant_name: Its variant; empty for the only one, or for all.
        local_url: Root of the local endpoint; by default that of the session, empty on SageMaker.
    """
    observers: list[Observer]
    local_url = local_url or local_endpoint_of(session)
    if local_url:
        observers = [local_observer(local_url, endpoint_name, variant_name)]
    else:
        variants = _variants(session, endpoint_name)
        name = variant_name or (next(iter(variants)) if len(variants) == 1 else "")
        threshold = variants.get(name)
        api = PromqlApi(session, session.region_name)
        observers = [PromqlObserver(api, endpoint_name, name, concurrency_threshold=threshold)]
        if name:  # Classic metrics are those of one variant.
            client = session.client("cloudwatch")
            observers.append(CloudWatchObserver(client, endpoint_name, name, concurrency_threshold=threshold))
    return JoinedObserver(
        observers,
        needs_all=bool(local_url),
    )


def _variants(session: Session, endpoint_name: str) -> dict[str, int | None]:
    """The concurrency threshold of each variant, None without one; nothing where the endpoint cannot be described."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        described: dict[str, Any] = session.client("sagemaker").describe_endpoint(EndpointName=endpoint_name)
    except (BotoCoreError, ClientError):
        return {}
    return {
        each["VariantName"]: each.get("RoutingConfig", {})
        .get("PrefixAwareRoutingConfig", {})
        .get("ConcurrencyThreshold")
        for each in described.get("ProductionVariants", ())
    }
