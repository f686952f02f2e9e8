"""Which calls stay on this machine: those to a local endpoint, by the address that a session or a variable gives."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from boto3.session import Session


def is_loopback(host: str) -> bool:
    """Whether a name or address is that of this machine.

    Args:
        host: As it stands in a URL, without a port.
    """
    return host in {"localhost", "127.0.0.1", "::1"} or host.endswith(".localhost")


def local_endpoint_of(session: Session, region: str | None = None) -> str:
    """Root of the local endpoint to which a session's calls of SageMaker go; empty where they leave this machine.

    Args:
        session: Credentials and configuration.
        region: AWS region, instead of the session's own.
    """
    url: str = session.client("sagemaker", region_name=region).meta.endpoint_url
    return url if is_loopback(urlsplit(url).hostname or "") else ""
