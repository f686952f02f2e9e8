"""The arithmetic of a comparison: its unit is the pair of runs, never the request."""

from warmroute.measure.statistics.block_bootstrap import WithinRunInterval, within_run_interval
from warmroute.measure.statistics.equivalence import equivalence, non_inferiority
from warmroute.measure.statistics.hodges_lehmann import typical_shift
from warmroute.measure.statistics.holm import holm
from warmroute.measure.statistics.log_ratios import log_ratio
from warmroute.measure.statistics.mean import Interval, MeanEstimate, mean_over_pairs
from warmroute.measure.statistics.pairs_needed import pairs_for_reduction, pairs_needed, run_noise
from warmroute.measure.statistics.quantiles import TooFewRequestsError, quantile, requests_needed

__all__ = [
    "Interval",
    "MeanEstimate",
    "TooFewRequestsError",
    "WithinRunInterval",
    "equivalence",
    "holm",
    "log_ratio",
    "mean_over_pairs",
    "non_inferiority",
    "pairs_for_reduction",
    "pairs_needed",
    "quantile",
    "requests_needed",
    "run_noise",
    "typical_shift",
    "within_run_interval",
]
