"""Which prefix length and threshold a traffic needs, and what to expect of them."""

from warmroute.tune.observed import Observed
from warmroute.tune.profile import TrafficProfile, profile
from warmroute.tune.result import TuningResult
from warmroute.tune.tuning import Trace, tune
from warmroute.tune.workload import Workload, workload

__all__ = ["Observed", "Trace", "TrafficProfile", "TuningResult", "Workload", "profile", "tune", "workload"]
