"""Tuning for tau-bench's calls: 2,454 agent calls under one system prompt of 6,155 characters, 4 instances."""

import os
import time
from pathlib import Path

from benchmarks.fleet_report import band
from warmroute.fleet import FleetConfig
from warmroute.tune import tune
from warmroute.tune.source import RecordedTraffic, open_trace

TRACES = Path(os.environ.get("WARMROUTE_TRACES") or Path(__file__).parents[1] / "../shared/traces")
SOURCE = "https://github.com/sierra-research/tau-bench, historical_trajectories/gpt-4o-airline.json"


def run() -> None:
    """The length between 6,200 and 8,200, and what 4,096 and 16,384 cost."""
    file = TRACES / "tau-bench/gpt-4o-airline.json"
    if not file.exists():
        print(f"skipped: no {file}. It is in {SOURCE}; WARMROUTE_TRACES names the folder of tau-bench/.")
        return
    begin = time.process_time()
    with open_trace(RecordedTraffic(paths=[str(file)])) as trace:
        result = tune(trace, FleetConfig(instances=4))
    seconds = time.process_time() - begin
    print("tau-bench's calls on 4 instances")
    band("  prefix length", result.recommendation.prefix_length, "6,200-8,200", 6_200, 8_200, form=",")
    others = {each.prefix_length: each for each in result.other_lengths}
    for length, keys in ((4_096, 1), (8_192, 1_050), (16_384, 2_257)):
        # Counted with a separator between messages; the OpenAI-compatible API is assumed to have none.
        band(f"  keys at {length:,}", others[length].keys, f"{keys:,}", 0.95 * keys, 1.05 * keys, form=",")
    chosen = result.strategies["PREFIX_AWARE"]
    share = others[4_096].expectation.largest_share
    band("  largest share at 4,096, %", 100 * share, "nearly all", 90, 100, form=".1f")
    cost = 100 * (others[16_384].expectation.ttft_mean / chosen.ttft_mean - 1)
    band("  mean TTFT at 16,384, %", cost, "more", 3, 1_000, form="+.1f")
    least = result.strategies["LEAST_OUTSTANDING_REQUESTS"]
    band("  hit rate chosen, %", 100 * chosen.hit_rate, "ceiling", 90, 100 * result.hit_rate_ceiling, form=".1f")
    band("  hit rate, least outstanding, %", 100 * least.hit_rate, "less", 0, 100 * chosen.hit_rate, form=".1f")
    print(f"  {result.simulated_requests:,} requests simulated, {seconds:.0f} s of CPU time")
