"""Standard streams that are closed, full or a terminal, and what programs read instead of a person."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Terminal

from warmroute.cli import main
from warmroute.cli.output import painted
from warmroute.client.body_size import MAX_BODY_BYTES
from warmroute.demo import example_spec_text

Run = Callable[..., Any]


def test_a_full_disk_below_standard_output_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sys.argv", ["warmroute", "checks"])
    monkeypatch.setattr("sys.stdout", Full())

    with pytest.raises(SystemExit) as stopped:
        main()

    assert (stopped.value.code, capsys.readouterr().err) == (1, "No space left on device.\n")


@pytest.mark.parametrize(
    ("command", "remedy"), [("validate", "Give the path of a spec"), ("key", "Give the path of a file with JSON")]
)
def test_a_closed_standard_input_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, remedy: str
) -> None:
    monkeypatch.setattr("sys.argv", ["warmroute", command, "-"])
    monkeypatch.setattr("sys.stdin", None)

    with pytest.raises(SystemExit) as stopped:
        main()

    assert stopped.value.code == 1
    assert capsys.readouterr().err.startswith(f"Standard input is closed. {remedy.removesuffix(' with JSON')}")


@pytest.mark.parametrize(
    "command", [("canonical", "-"), ("checks",), ("local",), ("local", "--format", "json"), ("-h",)]
)
def test_nothing_is_lost_but_the_words_where_standard_output_is_closed(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr("warmroute.local.serve", lambda _, on_ready, **__: on_ready("http://localhost:1"))
    monkeypatch.setattr("sys.stdout", None)

    ran = run(*command, stdin='{"prompt": "Hello"}')

    assert (ran.code, ran.err) == (0, "")


def test_severities_have_colours_for_a_person_who_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    assert painted("error", "red", Terminal()) == "\x1b[31m\x1b[1merror\x1b[0m"
    assert painted("error", "red", io.StringIO()) == "error"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert painted("error", "red", Terminal()) == "error"


def test_a_trace_in_place_of_a_request_is_noticed_by_its_size(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    with trace.open("wb") as file:
        file.truncate(MAX_BODY_BYTES + 1)

    ran = run("key", str(trace))

    assert ran.err == f"{trace}: more than the {MAX_BODY_BYTES:,} bytes of a request. Is it a trace?\n"


def test_lint_tells_programs_every_field(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "requests.jsonl"
    content = "Now it is 2026-11-30T12:00:00Z. " + "Be brief. " * 200
    trace.write_text(json.dumps({"messages": [{"role": "system", "content": content}]}) + "\n", "utf-8")

    ran = run("lint", str(trace), "--format", "json")

    findings = json.loads(ran.out)
    assert ran.code == 1
    assert all({"id", "line", "path", "severity", "message", "remedy"} <= finding.keys() for finding in findings)
    lines = run("lint", str(trace)).out.splitlines()
    assert [line.split(": ")[1] for line in lines] == [finding["id"] for finding in findings] != []


def test_a_region_of_ones_own_is_rendered(run: Run, tmp_path: Path) -> None:
    spec = tmp_path / "endpoint.yaml"
    spec.write_text(example_spec_text(), "utf-8")

    rendered = run("render", str(spec), "--to", "boto3", "--region", "eu-west-1").out

    assert ".eu-west-1.amazonaws.com/" in rendered
    assert "us-east-1" not in rendered


def test_a_first_spec_is_yaml(run: Run, tmp_path: Path) -> None:
    ran = run("init", str(tmp_path / "endpoint.json"))

    assert ran.code == 1
    assert "endpoint.json: a first spec is written as YAML, with comments. Choose a name in .yaml." in ran.err


def test_local_serves_the_spec_with_what_the_options_say(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tmp_path / "endpoint.yaml"
    spec.write_text(example_spec_text(), "utf-8")
    served: dict[str, Any] = {}

    def serve(document: Any, **options: Any) -> None:
        served.update(options, spec=document)
        options["on_engine"]("An engine starts.")
        options["on_ready"]("http://localhost:1")

    monkeypatch.setattr("warmroute.local.serve", serve)
    options = ["--port", "0", "--speed", "20", "--deployment-seconds", "0", "--state", str(tmp_path / "kept")]
    ran = run("local", str(spec), *options)

    assert (ran.code, ran.err) == (0, "An engine starts.\n")
    assert ran.out.startswith("Serving on http://localhost:1; stop with Ctrl-C.")
    assert (served["spec"].name, served["port"], served["speed"]) == ("support-bot", 0, 20.0)
    assert (served["deployment_seconds"], served["state"]) == (0.0, tmp_path / "kept")
    assert str(served["engines"].kind) == "simulated"
