"""A boto3 session that comes to the local endpoint, whatever the environment says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boto3.session import Session

ACCESS_KEY = "local"
"""Access key and secret of local sessions; like every key that moto does not know, of account 123456789012."""


def local_session(url: str, region: str) -> Session:
    """A boto3 session whose clients and resources all go to one address.

    Args:
        url: Base URL of every API.
        region: AWS region of the clients.
    """
    import boto3

    class LocalSession(boto3.Session):  # type: ignore[misc]
        def client(self, *args: Any, **options: Any) -> Any:
            return super().client(*args, **{**options, "endpoint_url": options.get("endpoint_url") or url})

    return LocalSession(ACCESS_KEY, ACCESS_KEY, region_name=region)
