"""The data plane: invocations, routed over instances that each run one engine."""

from warmroute.local.data.app import data_plane

__all__ = ["data_plane"]
