"""The data plane of the local endpoint: requests routed over simulated instances."""

from warmroute.local.data.app import DataPlane
from warmroute.local.data.fleets import Fleets, ServedEndpoint, VariantFleet
from warmroute.local.data.instance import Failure, Instance
from warmroute.local.data.operations import PATH_PREFIX

__all__ = ["PATH_PREFIX", "DataPlane", "Failure", "Fleets", "Instance", "ServedEndpoint", "VariantFleet"]
