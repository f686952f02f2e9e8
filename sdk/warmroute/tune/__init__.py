"""Which prefix length and threshold a traffic needs, and what to expect of them."""

from warmroute.tune.observed import Observed
from warmroute.tune.profile import TrafficProfile, profile
from warmroute.tune.result import TuningResult
from warmroute.tune.simulation import Simulated, simulate_trace
from warmroute.tune.trace import Trace
from warmroute.tune.tuning import tune
from warmroute.tune.workload import Workload, workload

__all__ = [
    "Observed",
    "Simulated",
    "Trace",
    "TrafficProfile",
    "TuningResult",
    "Workload",
    "profile",
    "simulate_trace",
    "tune",
    "workload",
]
