"""``warmroute demo`` as a user sees it, with the local endpoint in this process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from in_process import running_in_process

Run = Callable[..., Any]
FEW = ["--requests", "12", "--rate", "200"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("warmroute.demo.run.running_locally", lambda engines: running_in_process(engines=engines))


def test_both_strategies_stand_side_by_side(run: Run) -> None:
    ran = run("demo", *FEW)

    told, _, table = ran.out.partition("\n\n")
    assert (ran.code, ran.err) == (0, "")
    assert [line for line in told.splitlines() if line.startswith("- ")] == [
        "- validate support-bot: 0 findings",
        "- start the local endpoint",
        "- apply support-bot with RANDOM",
        "- send 12 chat requests under RANDOM",
        "- apply support-bot with PREFIX_AWARE",
        "- send 12 chat requests under PREFIX_AWARE",
        "- tear down",
    ]
    assert [told.count(f"  {answers} of 12 answered\n") for answers in (3, 6, 9, 12)] == [2, 2, 2, 0]
    assert table.split()[:2] == ["RANDOM", "PREFIX_AWARE"]
    assert re.search(r"^instances that a shared prefix met +\d\.\d +1\.0$", table, re.MULTILINE)
    assert "12 requests, 2 distinct beginnings of 4,096 bytes, 7 simulated ml.p5.48xlarge." in table


def test_a_recorded_trace_is_sent_and_programs_read_the_figures_alone(run: Run, tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "One handbook. " * 100}, {"role": "user", "content": "Why?"}]
    line = json.dumps({"timestamp": 0, "messages": messages, "output_length": 4}) + "\n"
    (tmp_path / "trace.jsonl").write_text(line * 4, "utf-8")

    ran = run("demo", "--trace", "trace.jsonl", *FEW, "--prefix-length", "1024", "--format", "json")

    told = json.loads(ran.out)
    assert (ran.code, ran.err, list(told)) == (0, "", ["RANDOM", "PREFIX_AWARE"])
    assert [(arm["requests"], arm["prefixes"]) for arm in told.values()] == [(4, 1), (4, 1)]
    assert told["PREFIX_AWARE"]["instance_shares"] == [1.0, 0, 0, 0, 0, 0, 0]


def test_on_a_terminal_steps_stay_and_the_bar_of_answers_goes(run_on_terminal: Run) -> None:
    ran = run_on_terminal("demo", *FEW)

    assert ran.code == 0
    assert "• send 12 chat requests under RANDOM\n" in ran.out
    assert "answers" in ran.out
    assert "answered" not in ran.out
    assert "12 requests, 2 distinct beginnings" in ran.out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--engine", "url"], 1, "--engine url: the demo starts its own servers. Use simulated or vllm.\n"),
        (["--engine", "vllm"], 1, "There is no model in .venv-vllm/tiny-llama. Run make vllm in a checkout"),
        (["--prefix-length", "900"], 1, "prefix_length: 900 is below 1,024."),
        (["--trace", "none.jsonl"], 1, "none.jsonl"),
        (["--requests", "1"], 2, "'--requests'"),
        (["--rate", "500"], 2, "'--rate'"),
    ],
)
def test_what_the_demo_cannot_send_is_one_message(run: Run, options: list[str], code: int, message: str) -> None:
    ran = run("demo", *options)

    assert (ran.code, message in ran.err) == (code, True), ran.err
    assert "send" not in ran.out


def test_the_real_servers_of_the_demo_are_few_and_slow(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".venv-vllm" / "tiny-llama").mkdir(parents=True)
    started: dict[str, Any] = {}

    def run_demo(spec: Any, requests: Any, **options: Any) -> dict[str, Any]:
        started.update(options, instances=spec.variants[0].initial_instance_count, requests=len(requests))
        return {}

    monkeypatch.setattr("warmroute.demo.run_demo", run_demo)
    ran = run("demo", "--engine", "vllm", "--format", "json")

    assert (ran.code, ran.out) == (0, "{}\n")
    assert (started["instances"], started["requests"], started["requests_per_second"]) == (2, 48, 0.5)
    assert started["engines"].model_dir == Path(".venv-vllm/tiny-llama")
