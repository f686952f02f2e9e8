"""A boto3 session that comes to the local endpoint, whatever the environment says."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boto3.session import Session

ACCESS_KEY = "local"
"""Access key and secret of local sessions; like every key that moto does not know, of account 123456789012."""


def local_session(url: str, region: str) -> Session:
    """A boto3 session whose clients and resources all go to one address.

    Neither profiles nor proxies nor other settings of the environment enter it.

    Args:
        url: Base URL of every API.
        region: AWS region of the clients.
    """
    import boto3
    from botocore.config import Config

    # On the loopback address, what fails twice fails again.
    local = Config(proxies={}, retries={"mode": "standard", "total_max_attempts": 2})

    class LocalSession(boto3.Session):  # type: ignore[misc]
        def client(self, *args: Any, **options: Any) -> Any:
            given = options.get("config")
            config = local.merge(given) if given is not None else local
            where = options.get("endpoint_url") or url
            return super().client(*args, **{**options, "config": config, "endpoint_url": where})

    return LocalSession(ACCESS_KEY, ACCESS_KEY, region_name=region, botocore_session=isolated_session())


def isolated_session() -> Any:
    """A botocore session that takes neither profiles nor other settings from its environment."""
    import botocore.session

    settings = {
        name: (None, None, os.devnull if name in _FILES else default, conversion)
        for name, (_, _, default, conversion) in botocore.session.Session.SESSION_VARIABLES.items()
    }
    return botocore.session.Session(settings)


_FILES = {"config_file", "credentials_file"}
