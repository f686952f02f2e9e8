"""Which prefix length and threshold a traffic needs, and what to expect of them."""

from warmroute.tune.fleets import Fleet, fleet_of
from warmroute.tune.observed import Observed
from warmroute.tune.profile import TrafficProfile, profile
from warmroute.tune.result import TuningResult
from warmroute.tune.simulation import Simulated, simulate_trace
from warmroute.tune.source import RecordedTraffic, open_trace
from warmroute.tune.trace import Trace
from warmroute.tune.tuning import tune
from warmroute.tune.workload import Workload, workload
from warmroute.tune.writing import with_routing, write_routing

__all__ = [
    "Fleet",
    "Observed",
    "RecordedTraffic",
    "Simulated",
    "Trace",
    "TrafficProfile",
    "TuningResult",
    "Workload",
    "fleet_of",
    "open_trace",
    "profile",
    "simulate_trace",
    "tune",
    "with_routing",
    "workload",
    "write_routing",
]
