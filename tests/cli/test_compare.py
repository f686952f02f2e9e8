"""``warmroute compare`` refuses what cannot be compared, and says what it would do."""

from __future__ import annotations

import json

import pytest

from warmroute.demo import example_spec_text

LINES = "".join(
    json.dumps({"timestamp": 1_000 * second, "input_length": 10, "output_length": 2, "hash_ids": [1]}) + "\n"
    for second in range(61)
)
TWO = ["--arm", "random=random.yaml", "--arm", "prefix=prefix.yaml"]
VARIANTS = ["--arm", "a=endpoint/bot/a", "--arm", "b=endpoint/bot/b"]


@pytest.fixture(autouse=True)
def files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, value in (("ACCESS_KEY_ID", "k"), ("SECRET_ACCESS_KEY", "s"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    (tmp_path / "trace.jsonl").write_text(LINES, "utf-8")
    text = example_spec_text()
    (tmp_path / "prefix.yaml").write_text(text, "utf-8")
    (tmp_path / "other.yaml").write_text(text.replace("support-bot", "other-bot"), "utf-8")
    routing = text.index("    routing_config:")
    (tmp_path / "random.yaml").write_text(text[:routing] + "    routing_config: {routing_strategy: RANDOM}\n", "utf-8")


def told(ran):
    """What a box of typer's says, without its frame."""
    return " ".join(ran.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--arm", "random=random.yaml"], "Arms: 1; a comparison needs two or more."),
        (["--arm", "random", "--arm", "b=prefix.yaml"], "--arm random: not of the form NAME=…."),
        (["--arm", "a=endpoint/", "--arm", "b=prefix.yaml"], "--arm a=endpoint/: names no endpoint."),
        (["--arm", "a=endpoint/x/y/z", "--arm", "b=prefix.yaml"], "names no endpoint."),
        (["--arm", "a=random.yaml", "--arm", "a=prefix.yaml"], "Arm a is named twice."),
        ([*TWO, "--baseline", "lor"], "--baseline lor: there is no such arm. Arms: random, prefix."),
        ([*TWO, "--gain", "0.05"], "gain: 0.05 is not above the minimum effect"),
        ([*TWO, "--warm-up", "60"], "warm_up: 60 s is the whole run"),
        ([*TWO, "--primary", "error_share"], "error_share cannot be the primary metric."),
        ([*TWO, "--cross-over"], "--cross-over is for two variants of one endpoint"),
        ([*VARIANTS, "--switchback"], "--switchback applies specs."),
        ([*VARIANTS, "--cross-over", "--switchback"], "are two designs."),
        ([*VARIANTS, "--api", "openai"], "takes no target variant."),
        ([*TWO, "--simultaneous"], "arms share what serves them (random: this machine; prefix: this machine)"),
        ([*TWO, "--requests", "9"], "requests: a run has 9, and P90 TTFT is not told below 36."),
        ([*TWO, "--pairs", "0"], "--pairs"),
    ],
)
def test_bad_usage(run, tmp_path, options, message):
    ran = run("compare", "trace.jsonl", *options)

    assert ran.code == 2
    assert message in told(ran)
    assert not list(tmp_path.glob("comparison*"))


@pytest.mark.parametrize(
    ("trace", "options", "message"),
    [
        ("none.jsonl", TWO, "none.jsonl"),
        ("-", TWO, "standard input, which can be read only once"),
        ("trace.jsonl", ["--arm", "a=none.yaml", "--arm", "b=prefix.yaml"], "none.yaml"),
        ("trace.jsonl", [*TWO, "--speed-factor", "0"], "speed: 0.0 is out of range. Allowed: 0.01 to 10,000."),
        ("trace.jsonl", [*TWO, "--engine", "gpu"], "--engine gpu: there is no such engine."),
        ("trace.jsonl", [*TWO, "--rate", "1", "--speed", "2"], "A rate replaces the trace's times"),
        (
            "trace.jsonl",
            ["--arm", "a=prefix.yaml", "--arm", "b=other.yaml", "--switchback"],
            "specs of one endpoint, and they name: other-bot, support-bot.",
        ),
    ],
)
def test_what_cannot_be_compared(run, tmp_path, trace, options, message):
    ran = run("compare", trace, *options)

    assert ran.code == 1
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not list(tmp_path.glob("comparison*"))


def test_the_plan_alone(run, tmp_path):
    ran = run("compare", "trace.jsonl", *TWO, "--dry-run")

    assert ran.code == 0
    assert ran.out.splitlines() == [
        "random (baseline) against prefix: 61 requests a run",
        "note: 61 requests were sent as made-up text of the recorded length and shared beginnings.",
        (
            "note: A run has 61 requests, and P99 TTFT, a guard, is not told below 368, warm-up not counted: longer "
            'runs are needed for "adopt".'
        ),
        "6 runs of random alone, then 5 to 20 pairs, as the noise demands",
        "16 min to 46 min of runs; what lies between them is not counted",
    ]
    assert not list(tmp_path.glob("comparison*"))


def test_the_plan_for_programs(run):
    ran = run("compare", "trace.jsonl", *TWO, "--baseline", "prefix", "--pairs", "7", "--dry-run", "--format", "json")

    plan = json.loads(ran.out)
    assert [arm["name"] for arm in plan["arms"]] == ["prefix", "random"]
    assert (plan["least_pairs"], plan["most_pairs"], plan["run_seconds"]) == (7, 7, 60.0)
    assert plan["trace"]["files"][0]["name"] == "trace.jsonl"
    assert len(plan["trace"]["files"][0]["sha256"]) == 64
    assert plan["arms"][0]["variants"][0]["routing_config"]["routing_strategy"] == "PREFIX_AWARE"
    assert "execution_role_arn" not in json.dumps(plan)


def test_a_trace_longer_than_a_run_has_parts(run):
    ran = run("compare", "trace.jsonl", *TWO, "--duration", "20", "--primary", "ttft_p50", "--dry-run")

    assert ran.out.splitlines()[0] == "random (baseline) against prefix: 20 requests a run"
    assert "note: The trace has 3 parts of the length of a run; pairs send them in turn." in ran.out.splitlines()


def test_sequential_updates_pay_for_one_fleet(run):
    ran = run("compare", "trace.jsonl", *TWO, "--switchback", "--pairs", "6", "--dry-run")

    assert "2.1 instance-hours, on 7 instances" in ran.out


def test_the_wait_for_cloudwatch_is_told_where_there_is_one(run, monkeypatch):
    command = ("compare", "trace.jsonl", *TWO, "--pairs", "6", "--dry-run")
    waits = "up to 5 minutes until CloudWatch has counted it"

    assert waits in run(*command, "--switchback").out
    assert waits not in run(*command, "--switchback", "--no-telemetry").out
    assert waits not in run(*command).out
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:8333")
    assert waits not in run(*command, "--switchback").out
