"""The commands that look at traffic: profile, tune and simulate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from warmroute.demo import example_spec_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

    Run = Callable[..., Ran]

pytest.importorskip("ibis", reason="needs the extra analysis")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twenty-five conversations of six turns, under a system prompt that all share."""
    lines = []
    for talk in range(25):
        messages = [{"role": "system", "content": "You help customers of a shop. " * 100}]
        for turn in range(6):
            messages.append({"role": "user", "content": f"{talk:03} asks {turn}. " * 150})
            body = {"model": "llama", "messages": list(messages)}
            lines.append(json.dumps({"custom_id": f"{talk}-{turn}", "method": "POST", "url": "/", "body": body}))
            messages.append({"role": "assistant", "content": f"{talk:03} hears {turn}. " * 10})
    file = tmp_path_factory.mktemp("traces") / "batch.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text().replace("initial_instance_count: 7", "initial_instance_count: 3"), "utf-8")
    return file


def test_a_profile_tells_where_the_shared_context_ends(run: Run, trace: str) -> None:
    shown = run("profile", trace, "--instances", "3")
    assert shown.code == 0
    assert "characters of text (OpenAI API): all requests are equal up to 2,560" in shown.out

    told = json.loads(run("profile", trace, "--instances", "3", "--format", "json").out)
    assert told["requests"] == 150
    assert {each["prefix_length"]: each["keys"] for each in told["lengths"]["openai"]}[4_096] == 25


def test_tune_prints_the_values_and_writes_them_into_the_spec(run: Run, trace: str, spec: Path) -> None:
    options = (trace, "--spec", str(spec), "--api", "openai", "--rate", "12", "--budget", "9000")
    told = json.loads(run("tune", *options, "--format", "json").out)
    chosen = told["recommendation"]
    assert 3_000 < chosen["prefix_length"] <= 5_100

    before = spec.read_text("utf-8")
    ran = run("tune", *options, "--write")
    assert f"prefix_length: {chosen['prefix_length']}\n" in ran.out
    after = spec.read_text("utf-8")
    if told["verdict"] == "gains":
        assert ran.code == 0
        assert f"prefix_length: {chosen['prefix_length']}  " in after
        assert "# bytes of the request body that decide the instance" in after
    else:
        assert ran.code == 1
        assert "nothing was written, since the verdict is: gains nothing" in ran.err
        assert after == before


def test_simulate_serves_a_trace_with_one_routing(run: Run, trace: str) -> None:
    options = (trace, "--instances", "3", "--prefix-length", "4096", "--concurrency-threshold", "8", "--api", "openai")
    first, second = (run("simulate", *options, "--format", "json") for _ in range(2))

    assert first.out == second.out
    told = json.loads(first.out)
    assert told["routing_strategy"] == "PREFIX_AWARE"
    assert told["expectation"]["hit_rate"] > 0.5
    assert "PREFIX_AWARE" in run("simulate", *options).out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "The fleet is told by --spec or by --instances. Give one of the two"),
        (("--instances", "1"), "acts only where two or more instances can serve a request"),
        (("--instances", "3", "--write"), "--write needs a spec file to write to."),
        (("--instances", "3", "--profile", "none.yaml"), "none.yaml: the file does not exist."),
        (("--instances", "3", "--rate", "0"), "A rate of 0.0 requests a second. Give one above 0."),
    ],
)
def test_a_mistake_is_one_message(run: Run, trace: str, options: tuple[str, ...], message: str) -> None:
    ran = run("tune", trace, *options)

    assert ran.code == 1
    assert message in ran.err
    assert "Traceback" not in ran.err
