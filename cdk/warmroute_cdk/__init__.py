"""AWS CDK constructs for endpoints with prefix-aware routing."""

from warmroute_cdk.node import use_bundled_node

use_bundled_node()

from warmroute_cdk.stack import EndpointStack  # noqa: E402 - the CDK starts Node when it is imported.

__all__ = ["EndpointStack"]
