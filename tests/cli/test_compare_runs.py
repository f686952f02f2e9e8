"""``warmroute compare`` from two arms and a trace to a report, with local endpoints in this process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from in_process import running_in_process

from warmroute.demo import example_spec, example_spec_text
from warmroute.errors import MissingExtraError
from warmroute.local import RunningLocally
from warmroute.measure.experiment import Experiment
from warmroute.measure.replay import read_rows

Run = Callable[..., Any]
REQUESTS = 60
TRACE = "".join(
    json.dumps({"timestamp": 2 * number, "input_length": 40, "output_length": 2, "hash_ids": [number % 5]}) + "\n"
    for number in range(REQUESTS)
)
# One pair without A/A; how busy the machine is makes no run invalid.
ONE_PAIR = ["--aa-pairs", "0", "--pairs", "1", "--replacements", "0", "--largest-lag", "60"]
SPECS = ["--arm", "random=random.yaml", "--arm", "prefix=prefix.yaml"]

# Every run is invalid, since requests are always sent a little later than planned.
LAGGING = [
    *("compare", "trace.jsonl", "--arm", "a=endpoint/support-bot", "--arm", "b=endpoint/support-bot/main"),
    *(*ONE_PAIR, "--largest-lag", "0", "--no-telemetry", "--output", "comparison"),
]


@pytest.fixture(scope="module")
def running() -> Iterator[RunningLocally]:
    with running_in_process(example_spec()) as running:
        yield running


@pytest.fixture
def account(running: RunningLocally, monkeypatch: pytest.MonkeyPatch) -> None:
    """The account of the environment has the endpoint."""
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("warmroute.arms.local.running_locally", running_in_process)
    text = example_spec_text()
    routing = text.index("    routing_config:")
    (tmp_path / "prefix.yaml").write_text(text, "utf-8")
    (tmp_path / "random.yaml").write_text(text[:routing] + "    routing_config: {routing_strategy: RANDOM}\n", "utf-8")
    (tmp_path / "trace.jsonl").write_text(TRACE, "utf-8")


def test_two_specs_and_a_trace_end_in_a_verdict_and_a_page(run: Run, tmp_path: Path) -> None:
    ran = run("compare", "trace.jsonl", *SPECS, *ONE_PAIR, "--output", "comparison", "--format", "json")

    told = json.loads(ran.out)
    folder = tmp_path / "comparison"
    assert (ran.code, ran.err) == (0, "report: comparison/report.html\n")
    assert told == {"folder": "comparison", **json.loads((folder / "report.json").read_bytes())}
    assert (told["verdicts"][0]["decision"], told["verdicts"][0]["pairs"]) == ("inconclusive", 1)
    assert told["notes"][-1] == "Fewer than 5 pairs give figures, and no verdict."
    assert "<svg" in (folder / "report.html").read_text("utf-8")
    assert sorted(row.arm for row in read_rows(folder)) == ["prefix"] * REQUESTS + ["random"] * REQUESTS


def test_runs_that_are_all_invalid_give_no_verdict_and_have_exit_code_1(run: Run, account: None) -> None:
    ran = run(*LAGGING)

    said = ran.out.splitlines()
    assert (ran.code, ran.err) == (1, "")
    assert said[0] == "a (baseline) against b: 60 requests a run"
    assert any(line.startswith("- pair 1 of 1, run 1: ") for line in said)
    assert "No verdict: no two arms have a valid run." in said
    left_out = [line for line in said if "left out: " in line]
    assert left_out, said
    assert all("The client lagged" in line for line in left_out), said
    at_once = [line for line in left_out if line.startswith("  ")]
    assert at_once == [f"  {line}" for line in left_out if not line.startswith("  ")]
    assert "note: 1 of 1 pairs are lacking, since too many runs were invalid." in said
    assert said[-1] == "report: comparison/report.html"


def test_on_a_terminal_the_run_that_is_on_has_a_bar(
    run_on_terminal: Run, account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmroute.measure.replay.replay._REPORT_SECONDS", 0.001)
    ran = run_on_terminal(*LAGGING)

    assert ran.code == 1
    assert re.search(r"pair 1 of 1, run 1: [ab] .*\d+/60", ran.out)
    assert "- pair 1 of 1" not in ran.out
    assert "No verdict: no two arms have a valid run." in ran.out


def test_the_report_can_be_made_later(run: Run, account: None, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: list[BaseException] = [KeyboardInterrupt(), MissingExtraError("The report's page", "report")]

    def write_report(*_: Any) -> None:
        raise outcomes.pop(0)

    monkeypatch.setattr("warmroute.measure.report.write_report", write_report)
    stopped, without = run(*LAGGING), run(*LAGGING)

    assert (stopped.code, stopped.err) == (
        130,
        "Stopped. Every run is done; the same command with --output comparison makes the report.\n",
    )
    assert "- pair 1 of 1, run 1" in stopped.out
    assert "- pair 1 of 1, run 1" not in without.out
    assert without.out.splitlines()[-1] == (
        "no page of the report: The report's page needs packages that are not installed. Run: pip install "
        "'warmroute[report]' and: warmroute report comparison"
    )


def test_a_comparison_that_is_stopped_says_how_it_goes_on(
    run: Run, account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: Experiment) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Experiment, "run", stop)
    ran = run(*LAGGING)

    assert (ran.code, ran.err) == (
        130,
        "Stopped. 0 runs done and kept; the same command with --output comparison continues.\n",
    )
