"""``warmroute compare`` as users start it: two specs and a trace, stopped, and continued to the end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pyarrow.parquet as pq

from warmroute.arms import LocalArm
from warmroute.demo import example_spec, example_spec_text
from warmroute.measure.experiment import Replay, over_network
from warmroute.measure.experiment.serving import scaling_windows
from warmroute.measure.replay import Load, Place, Sending, prepare, read_rows

REQUESTS = 60


def test_from_two_specs_and_a_trace_to_a_verdict_with_a_stop_between(tmp_path: Path) -> None:
    text = example_spec_text()
    (tmp_path / "prefix.yaml").write_text(text, "utf-8")
    routing = text.index("    routing_config:")
    (tmp_path / "random.yaml").write_text(text[:routing] + "    routing_config: {routing_strategy: RANDOM}\n", "utf-8")
    lines = (
        {
            "timestamp": 50 * number,
            "messages": [
                {"role": "system", "content": f"Handbook {number % 5} answers every question. " * 200},
                {"role": "user", "content": f"Question {number}?"},
            ],
            "output_length": 4,
        }
        for number in range(REQUESTS)
    )
    (tmp_path / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    folder = tmp_path / "comparison"

    stopped = _start(tmp_path)
    _await(next_run := folder / "runs")
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=400)

    assert stopped.returncode == 130
    assert err == ("Stopped. 0 runs done and kept; the same command with --output comparison continues.\n")
    assert not (folder / "report.json").exists()

    out, err = (continued := _start(tmp_path, "--format", "json")).communicate(timeout=600)

    told = json.loads(out)
    verdict = told["verdicts"][0]
    rows = pq.read_table(folder / "requests.parquet").to_pylist()
    arms = {row["arm"] for row in rows}
    assert (continued.returncode, err) == (0, "report: comparison/report.html\n")
    assert (verdict["decision"], verdict["pairs"]) == ("inconclusive", 1)
    assert told["notes"][-1] == "Fewer than 5 pairs give figures, and no verdict."
    assert {"folder": "comparison", **json.loads((folder / "report.json").read_bytes())} == told
    assert arms == {"random", "prefix"}
    assert len(rows) == 2 * REQUESTS
    assert all(row["error"] is None and row["instance"] and row["overflowed"] is not None for row in rows)
    assert {path.name.rpartition(".")[2] for path in next_run.glob("[0-9]*.*")} == {"unfinished-1"}
    # Five beginnings for seven instances: prefix-aware routing computes each once, RANDOM up to seven times.
    cached = {arm: sum(row["cached_tokens"] > 1_000 for row in rows if row["arm"] == arm) for arm in arms}
    assert cached["prefix"] > cached["random"]

    telemetry = json.loads(next(next_run.glob("0-*-prefix/telemetry.json")).read_bytes())
    assert telemetry["requests"] == REQUESTS
    assert "<svg" in (folder / "report.html").read_text("utf-8")


def test_instances_that_come_during_a_run_are_seen_by_name() -> None:
    spec = example_spec()
    first = spec.variants[0].model_copy(update={"initial_instance_count": 2})
    arm = LocalArm("random", spec.model_copy(update={"variants": (first,)}))
    with arm.serve(swapped=False) as served:
        assert served.watch is not None
        before = served.look()
        served.watch.begin()
        client = served.session.client("sagemaker")
        client.update_endpoint_weights_and_capacities(
            EndpointName=spec.name, DesiredWeightsAndCapacities=[{"VariantName": first.name, "DesiredInstanceCount": 3}]
        )
        client.get_waiter("endpoint_in_service").wait(EndpointName=spec.name, WaiterConfig={"Delay": 1})
        samples = served.watch.end()
        after = served.look()

    windows = scaling_windows(samples, samples[0].at, 5.0)
    assert (samples[0].serving.count, samples[-1].serving.count) == (2, 3)
    assert samples[0].serving.names < samples[-1].serving.names
    assert [window.reason for window in windows] == ["2 to 3 instances"]
    assert before == after


def test_two_arms_are_sent_their_requests_at_the_same_time(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    lines = ({"timestamp": 50 * number, "input_length": 40, "output_length": 4} for number in range(REQUESTS))
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    schedule = prepare([str(trace)], Load(), Sending(), chat_only=False).schedule
    with ExitStack() as serving:
        arms = [LocalArm(name, example_spec(), speed_factor=20) for name in ("random", "prefix")]
        runs = [
            Replay(
                serving.enter_context(arm.serve(swapped=False)),
                schedule,
                tmp_path / arm.name,
                Place(arm.name, 0, place),
            )
            for place, arm in enumerate(arms)
        ]
        one, other = over_network(largest_lag_seconds=60)(runs)

    assert (one.summary.answered, other.summary.answered) == (REQUESTS, REQUESTS)
    assert abs((one.started - other.started).total_seconds()) < min(one.duration_seconds, other.duration_seconds)
    assert [row.arm for row in read_rows(tmp_path / "prefix")] == ["prefix"] * REQUESTS


def _start(folder: Path, *options: str) -> subprocess.Popen[str]:
    """One pair, without A/A: a machine that is busy may lag as it likes, since no time is judged."""
    arms = ["--arm", "random=random.yaml", "--arm", "prefix=prefix.yaml"]
    design = ["--aa-pairs", "0", "--pairs", "1", "--replacements", "0", "--largest-lag", "60", "--speed-factor", "20"]
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "warmroute",
            "compare",
            "trace.jsonl",
            *arms,
            *design,
            "--output",
            "comparison",
            *options,
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _await(runs: Path) -> None:
    """Until the first run has begun."""
    deadline = time.monotonic() + 400
    while not list(runs.glob("*/run.json")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
