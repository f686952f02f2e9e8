# %% [markdown]
# # From captured traffic to a `routing_config`
#
# A notebook as a script: run it whole, or cell by cell in an editor that knows `# %%` (or `jupytext --to notebook`).

# %% What to tune for: a folder or an s3:// URI of Data Capture, and the spec of the endpoint.
import os
from pathlib import Path

import matplotlib.pyplot as plt

from warmroute import load_spec
from warmroute.demo import example_spec_text
from warmroute.traffic.sample import ENDPOINT, write_sample
from warmroute.tune import RecordedTraffic, fleet_of, open_trace, profile, tune, workload, write_routing
from warmroute.tune.report import profile_lines, tuning_lines

FOLDER = Path(os.environ.get("FOLDER", "tuning"))
BUDGET = int(os.environ.get("BUDGET", "60000"))
"""Requests to simulate in all. More makes the figures steadier: 500,000 are about a minute's work."""

FOLDER.mkdir(parents=True, exist_ok=True)
spec_file = Path(os.environ.get("SPEC", FOLDER / "endpoint.yaml"))
if "SPEC" not in os.environ:
    spec_file.write_text(example_spec_text(), "utf-8")
capture = os.environ.get("CAPTURE", str(FOLDER / ENDPOINT))
if "CAPTURE" not in os.environ and not Path(capture).exists():
    # A generated one, of a support assistant that many companies rent.
    write_sample(FOLDER, requests=800, hours=0.03)

# %% Look: which beginnings do requests share, and what does a prefix length make of them? Nothing is simulated yet.
fleet, variant, _ = fleet_of(load_spec(spec_file))
with open_trace(RecordedTraffic(paths=[capture])) as trace:
    work = workload(trace.observed, instances=fleet.instances, profile=fleet.profile)
    traffic = profile(trace, work, instances=fleet.instances, engine=fleet.profile)
print("\n".join(profile_lines(traffic)), "\n")

# %% The same as a picture. Too short is one key for nearly all, too long a key for each request.
api, lengths = next(iter(traffic.lengths.items()))
figure, (upper, lower) = plt.subplots(2, sharex=True, figsize=(8, 6), layout="constrained")
ladder = [each.prefix_length for each in lengths]
upper.loglog(ladder, [each.keys for each in lengths], marker="o")
upper.set_ylabel("routing keys")
upper.set_title(f"What a prefix length makes of {traffic.requests:,} requests ({api})")
for label, values in (
    ("hit rate of caches without a limit", [each.hit_rate for each in lengths]),
    ("requests of the most frequent key", [each.largest_share for each in lengths]),
):
    lower.semilogx(ladder, values, marker="o", label=label)
lower.axhline(traffic.hit_rate_without_affinity, linestyle=":", color="grey", label="hit rate of RANDOM")
lower.set_ylim(0, 1)
lower.set_xlabel("prefix_length")
lower.legend()
figure.savefig(FOLDER / "traffic.svg")

# %% Tune: half of the trace chooses, in simulation, and the other half confirms.
with open_trace(RecordedTraffic(paths=[capture])) as trace:
    result = tune(trace, fleet, budget=BUDGET)
print("\n".join(tuning_lines(result)), "\n")

# %% What to expect, of the strategies and of values beside the chosen ones.
chosen = result.recommendation
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for percentile, alpha in (("p90", 0.4), ("p50", 1.0)):
    times = [1_000 * getattr(each, f"ttft_{percentile}") for each in result.strategies.values()]
    left.barh(list(result.strategies), times, alpha=alpha, label=percentile.upper(), color="tab:blue")
left.set_xlabel("time to first token, ms")
left.margins(x=0.35)  # Room for the legend.
left.legend()
for axes, others, name in (
    (middle, result.other_lengths, "prefix_length"),
    (right, result.other_thresholds, "concurrency_threshold"),
):
    points = sorted((getattr(each, name), 1_000 * each.expectation.ttft_mean) for each in others)
    axes.semilogx([value for value, _ in points], [time for _, time in points], marker="o")
    axes.axvline(getattr(chosen, name), linestyle=":", color="grey", label="chosen")
    axes.set_xlabel(name)
    axes.set_ylabel("mean time to first token, ms")
    axes.legend()
figure.savefig(FOLDER / "tuning.svg")

# %% Write both values into the spec; comments and all else in it stay.
if result.verdict == "gains" and variant is not None:
    write_routing(
        str(spec_file),
        variant=variant,
        prefix_length=chosen.prefix_length,
        concurrency_threshold=chosen.concurrency_threshold,
    )
    print(f"Wrote {spec_file}. Next: warmroute plan {spec_file}")
else:
    print(f"{spec_file} stays as it is: {result.verdict_reason}")
