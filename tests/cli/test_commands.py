"""Every subcommand: what it prints, its exit code, and how a mistake reads."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import warmroute
from warmroute import __version__
from warmroute.cli.app import app
from warmroute.cli.commands import COMMANDS
from warmroute.demo import example_spec_text
from warmroute.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

    Run = Callable[..., Ran]

DESCRIBED = {
    "EndpointConfigName": "support-bot",
    "EndpointConfigArn": "arn:aws:sagemaker:us-east-1:123456789012:endpoint-config/support-bot",
    "ProductionVariants": [
        {
            "VariantName": "main",
            "ModelName": "llama",
            "InitialInstanceCount": 2,
            "InstanceType": "ml.p5.48xlarge",
            "InitialVariantWeight": 1.0,
            "RoutingConfig": {
                "RoutingStrategy": "PREFIX_AWARE",
                "PrefixAwareRoutingConfig": {"PrefixLength": 4096, "ConcurrencyThreshold": 16},
            },
        }
    ],
    "CreationTime": "2026-11-29T12:00:00.123000+00:00",
}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    return file


def _edited(spec: Path, old: str, new: str) -> str:
    text = spec.read_text(encoding="utf-8")
    assert old in text
    spec.write_text(text.replace(old, new), encoding="utf-8")
    return str(spec)


@pytest.mark.parametrize(
    "line", ["key r.json --api xml", "validate s.yaml --format xml", "compare t --arm a=b --primary xml"]
)
def test_a_choice_that_there_is_not_is_named_beside_those_that_there_are(run: Run, line: str) -> None:
    ran = run(*line.split())
    assert ran.code == 2
    words = " ".join(ran.err.replace("│", " ").split())
    assert re.search(r"Invalid value for '--\w+': 'xml' is not one of ('[\w-]+'(, )?)+\.", words)


def test_version(run: Run) -> None:
    assert run("--version").out.strip() == __version__


def test_help_lists_every_command_and_each_has_an_example(run: Run) -> None:
    for command in ("init", "validate", "render", "apply", "local", "demo", "schema", "checks"):
        assert command in run("--help").out
        assert "Example: warmroute" in run(command, "--help").out


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_shortens_nothing_at_80_columns(command: str | None) -> None:
    narrow = {"TERMINAL_WIDTH": "80", "COLUMNS": "80"}
    shown = CliRunner().invoke(app, [*([command] if command else []), "--help"], env=narrow)

    assert shown.exit_code == 0, shown.exception  # Square brackets in a help text are markup, and may be wrong.
    assert "Usage: " in shown.output
    assert "…" not in shown.output


def test_a_command_waits_for_no_module_of_another() -> None:
    modules = {f"warmroute.cli.{name}" for name in COMMANDS}
    code = "import sys; from warmroute.cli.commands import Commands; Commands()['key']; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert modules & {module.rstrip("_") for module in ran.stdout.split()} == {"warmroute.cli.key"}


def test_wrong_usage_is_2(run: Run) -> None:
    assert run("validate").code == 2
    assert run("render", "x.yaml", "--to", "pulumi").code == 2
    assert run("nonsense").code == 2


def test_validate_a_good_spec(run: Run, spec: Path) -> None:
    ran = run("validate", str(spec))

    assert (ran.code, ran.out, ran.err) == (0, f"{spec}: valid\n", "")


def test_validate_shows_warnings_and_is_strict_when_asked(run: Run, spec: Path) -> None:
    path = _edited(spec, "initial_instance_count: 7", "initial_instance_count: 1")

    ran = run("validate", path)
    assert ran.code == 0
    assert "warning WR103: variants[0].initial_instance_count:" in ran.out
    assert ran.out.endswith("valid, 1 warning\n")
    assert run("validate", path, "--strict").code == 1


def test_validate_says_every_error_with_its_path(run: Run, spec: Path) -> None:
    path = _edited(spec, "prefix_length: 4096", "prefix_length: 65537")
    path = _edited(spec, "region: us-east-1", "region: us-east-1\nreigon: x")

    ran = run("validate", path)
    assert ran.code == 1
    assert "error WR004: variants[0].routing_config.prefix_aware_routing_config.prefix_length: 65537" in ran.out
    assert "Allowed: 1,024 to 65,536." in ran.out
    assert "Did you mean region?" in ran.out
    assert "invalid, 2 errors" in ran.out


def test_validate_as_json(run: Run, spec: Path) -> None:
    path = _edited(spec, "concurrency_threshold: 16", "concurrency_threshold: 2000")

    ran = run("validate", path, "--format", "json")
    report = json.loads(ran.out)
    assert ran.code == 1
    assert report["valid"] is False
    assert [finding["id"] for finding in report["findings"]] == ["WR004"]


def test_validate_accepts_what_describe_endpoint_config_returns(run: Run) -> None:
    ran = run("validate", "-", stdin=json.dumps(DESCRIBED))

    assert (ran.code, ran.out) == (0, "-: valid\n")


@pytest.mark.parametrize("target", ["boto3", "cloudformation", "terraform", "sagemaker-core"])
def test_render_prints_json(run: Run, spec: Path, target: str) -> None:
    ran = run("render", str(spec), "--to", target)

    assert ran.code == 0
    assert "PREFIX_AWARE" in ran.out
    json.loads(ran.out)


def test_render_says_what_a_target_does_not_know(run: Run, spec: Path) -> None:
    path = _edited(spec, "routing_strategy: PREFIX_AWARE", "routing_strategy: KV_AWARE")
    text = Path(path).read_text(encoding="utf-8")
    Path(path).write_text(text[: text.index("      prefix_aware_routing_config")], encoding="utf-8")

    ran = run("render", path, "--to", "cloudformation")
    assert ran.code == 1
    assert "KV_AWARE" in ran.err
    assert "Traceback" not in ran.err


def test_schema_names_our_fields_and_their_limits(run: Run) -> None:
    schema = json.loads(run("schema").out)

    assert {"name", "variants"} <= set(schema["required"])
    assert schema["$defs"]["PrefixAwareRoutingConfig"]["properties"]["prefix_length"]["maximum"] == 65_536


def test_checks_lists_every_rule(run: Run) -> None:
    listed = json.loads(run("checks", "--format", "json").out)

    assert [row["id"] for row in listed] == sorted(RULES)
    assert all(row["reason"] and row["source"] for row in listed)
    assert all(id_ in run("checks").out for id_ in RULES)


def test_every_id_of_a_finding_is_in_what_checks_prints(run: Run) -> None:
    """Either itself, or in a range such as "WR001 to WR007"."""
    shown = run("checks").out
    ranges = re.findall(r"WR(\d{3}) to WR(\d{3})", shown)
    sources = Path(str(warmroute.__file__)).parent.rglob("*.py")
    used = {found for file in sources for found in re.findall(r'"WR(\d{3})"', file.read_text("utf-8"))}

    assert used
    assert [id_ for id_ in sorted(used) if f"WR{id_}" not in shown and not any(a <= id_ <= b for a, b in ranges)] == []


def test_init_writes_a_valid_spec_once(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "new.yaml")

    assert run("init", path).code == 0
    assert run("validate", path, "--strict").code == 0
    again = run("init", path)
    assert again.code == 1
    assert "exists" in again.err
    assert run("init", path, "--force").code == 0


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_init_prints_a_spec(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: list[str]) -> None:
    monkeypatch.chdir(tmp_path)

    assert run("init", "-", *force).out == example_spec_text()
    assert list(tmp_path.iterdir()) == []


def test_init_into_a_missing_folder(run: Run, tmp_path: Path) -> None:
    ran = run("init", str(tmp_path / "no" / "new.yaml"))

    assert ran.code == 1
    assert "No such file or directory" in ran.err


@pytest.mark.parametrize("command", [["validate"], ["render", "--to", "boto3"], ["apply"], ["local"]])
def test_a_missing_file_is_one_line(run: Run, command: list[str]) -> None:
    ran = run(*command, "missing.yaml")

    assert ran.code == 1
    assert (ran.out + ran.err).startswith("missing.yaml: the file does not exist.")
    assert "Traceback" not in ran.err


def test_demo_refuses_a_trace_that_is_none(run: Run, spec: Path) -> None:
    ran = run("demo", "--trace", str(spec))

    assert ran.code == 1
    assert "not JSON" in ran.err


def test_demo_refuses_settings_that_sagemaker_would(run: Run) -> None:
    ran = run("demo", "--prefix-length", "100")

    assert ran.code == 1
    assert "100 is below 1,024" in ran.err
