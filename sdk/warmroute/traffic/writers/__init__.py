"""Writers of traffic: the formats that other tools replay, and one that can be shared."""

from warmroute.traffic.writers.write import WRITERS, write_traffic
from warmroute.traffic.writers.written import Written

__all__ = ["WRITERS", "Written", "write_traffic"]
