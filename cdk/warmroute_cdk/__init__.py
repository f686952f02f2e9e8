"""AWS CDK constructs for endpoints with prefix-aware routing."""

from warmroute_cdk.stack import EndpointStack

__all__ = ["EndpointStack"]
