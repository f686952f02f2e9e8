"""A pytest plugin: test code that calls SageMaker endpoints against the local endpoint.

In ``conftest.py``: ``pytest_plugins = ["warmroute.local.testing"]``. A test then takes ``local_endpoint`` and calls it
with a spec.

PYTEST_DONT_REWRITE: there is nothing to rewrite, and pytest would warn of a ``conftest.py`` that imports from here.
"""

from warmroute.local.testing.endpoint import LocalEndpoint, RoutedRequest
from warmroute.local.testing.fixtures import (
    LocalServerSettings,
    MakeEndpoint,
    local_endpoint,
    local_server,
    local_server_settings,
)

__all__ = [
    "LocalEndpoint",
    "LocalServerSettings",
    "MakeEndpoint",
    "RoutedRequest",
    "local_endpoint",
    "local_server",
    "local_server_settings",
]
