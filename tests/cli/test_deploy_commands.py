"""plan, apply, status, rollback, destroy and import against an account in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
import yaml
from moto import mock_aws

from warmroute.demo import example_spec_text
from warmroute.deploy.account.live import read_live
from warmroute.deploy.changing import waiting
from warmroute.local.control import Clock, Durations, install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Ran

    Run = Callable[..., Ran]

QUIET = ("--no-preflight",)


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    clock = Clock(speed=0)
    install(clock=clock, durations=Durations())
    monkeypatch.setattr(waiting.time, "sleep", clock.advance)
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        yield
    install(clock=Clock(), durations=Durations())


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    return file


def _threshold(spec: Path, number: int) -> str:
    text = example_spec_text()
    assert "concurrency_threshold: 16" in text
    spec.write_text(text.replace("concurrency_threshold: 16", f"concurrency_threshold: {number}"), encoding="utf-8")
    return str(spec)


def test_plan_has_an_exit_code_for_changes_and_one_for_none(run: Run, spec: Path) -> None:
    before = run("plan", str(spec), *QUIET)
    assert before.code == 3
    assert "+ create endpoint support-bot" in before.out
    assert "USD an hour now" in before.out

    run("apply", str(spec), *QUIET)
    after = run("plan", str(spec), *QUIET)

    assert (after.code, after.out.splitlines()[-1]) == (0, "Nothing to do.")


def test_plan_shows_each_field_and_the_traffic(run: Run, spec: Path) -> None:
    run("apply", str(spec), *QUIET)

    ran = run("plan", _threshold(spec, 24), *QUIET)

    assert "± replace endpoint configuration support-bot-" in ran.out
    field = "variants.main.routing_config.prefix_aware_routing_config.concurrency_threshold"
    assert f"      {field}: 16 → 24" in ran.out.splitlines()
    assert "starts with cold caches" in ran.out
    assert "ml.p5.48xlarge: 7 now, 14 at the peak, 7 after" in ran.out
    assert "\x1b" not in ran.out


def test_plan_as_json(run: Run, spec: Path) -> None:
    ran = run("plan", str(spec), *QUIET, "--format", "json")

    plan = json.loads(ran.out)
    assert (ran.code, plan["is_empty"], plan["rollout"]) == (3, False, "create")
    assert [change["action"] for change in plan["changes"]] == ["create"] * 3


def test_plan_fails_where_an_apply_would_be_stopped(run: Run, spec: Path) -> None:
    ran = run("plan", str(spec))  # The account has no such role.

    assert ran.code == 1
    assert "WR803" in ran.out


def test_apply_is_stopped_before_anything_is_changed(run: Run, spec: Path) -> None:
    ran = run("apply", str(spec))

    assert (ran.code, ran.out) == (1, "")
    assert "The account has no role" in ran.err
    assert run("status", "support-bot").code == 1


def test_apply_can_be_tried_dry(run: Run, spec: Path) -> None:
    ran = run("apply", str(spec), *QUIET, "--dry-run")

    assert ran.code == 3
    assert "+ create endpoint support-bot" in ran.out
    assert run("status", "support-bot").code == 1


def test_status_by_name_and_by_spec(run: Run, spec: Path) -> None:
    run("apply", str(spec), *QUIET)

    by_name, by_spec = run("status", "support-bot"), run("status", str(spec))

    assert by_name.out == by_spec.out
    assert "support-bot in us-east-1: InService" in by_name.out
    assert "variant main: 7 of 7 ml.p5.48xlarge, weight 1, PREFIX_AWARE" in by_name.out
    assert json.loads(run("status", "support-bot", "--format", "json").out)["status"] == "InService"


def test_rollback_goes_back(run: Run, spec: Path) -> None:
    run("apply", str(spec), *QUIET)
    first = json.loads(run("status", "support-bot", "--format", "json").out)["endpoint_config"]
    run("apply", _threshold(spec, 24), *QUIET)

    ran = run("rollback", "support-bot")

    assert ran.out.splitlines()[-1] == f"support-bot: updated, configuration {first}, us-east-1"


def test_destroy_wants_a_yes(run: Run, spec: Path) -> None:
    run("apply", str(spec), *QUIET)

    assert "Give --yes" in run("destroy", str(spec)).err
    assert run("destroy", str(spec), "--yes").out.splitlines()[-1] == "support-bot: 3 resources deleted in us-east-1"
    assert run("destroy", str(spec), "--yes").out == "support-bot: nothing is left in us-east-1\n"


def test_a_rollback_and_an_end_are_told_to_programs(run: Run, spec: Path) -> None:
    run("apply", str(spec), *QUIET)
    first = json.loads(run("status", "support-bot", "--format", "json").out)["endpoint_config"]
    run("apply", _threshold(spec, 24), *QUIET)

    back = json.loads(run("rollback", "support-bot", "--format", "json").out)
    unasked = run("destroy", "support-bot", "--format", "json")
    gone = json.loads(run("destroy", "support-bot", "--yes", "--format", "json").out)

    assert (back["result"], back["endpoint_config"]) == ("updated", first)
    assert (unasked.code, "Give --yes" in unasked.err) == (1, True)
    assert (gone["endpoint"], gone["region"], len(gone["removed"])) == ("support-bot", "us-east-1", 4)


def test_a_rollback_and_an_end_ask_a_person(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("apply", str(spec), *QUIET)
    run("apply", _threshold(spec, 24), *QUIET)
    for command in ("rollback", "destroy"):
        monkeypatch.setattr(f"warmroute.cli.{command}.can_ask", lambda: True)
    before = run("status", "support-bot").out

    back, gone = run("rollback", "support-bot", stdin="n\n"), run("destroy", "support-bot", stdin="n\n")

    assert (back.code, gone.code) == (1, 1)
    assert "Roll support-bot in us-east-1 back to the configuration that served before?" in back.out
    assert "Delete endpoint support-bot in us-east-1 and all that was made for it?" in gone.out
    assert run("status", "support-bot").out == before
    assert run("destroy", "support-bot", stdin="y\n").code == 0


def test_what_is_imported_can_be_read_by_programs_or_has_no_place(run: Run, spec: Path, tmp_path: Path) -> None:
    run("apply", str(spec), *QUIET)

    assert json.loads(run("import", "support-bot", "--format", "json").out)["name"] == "support-bot"
    nowhere = tmp_path / "none" / "imported.yaml"
    ran = run("import", "support-bot", "--output", str(nowhere))
    assert ran.err == f"{nowhere}: No such file or directory. Check the path and its permissions.\n"


def test_components_are_in_the_status_and_in_what_an_apply_did(run: Run, tmp_path: Path) -> None:
    needs = {"compute_resource_requirements": {"min_memory_required_in_mb": 1024}}
    adapter = {"base_inference_component_name": "llama", "container": {"artifact_url": "s3://models/legal.tar.gz"}}
    values = yaml.safe_load(example_spec_text())
    variant = {"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}
    components = [{"name": "llama", "specification": needs}, {"name": "legal", "specification": adapter}]
    spec = tmp_path / "shared.yaml"
    spec.write_text(yaml.safe_dump({**values, "variants": [variant], "inference_components": components}), "utf-8")

    applied, status = run("apply", str(spec), *QUIET), run("status", "support-bot")

    assert applied.out.splitlines()[-3:-1] == ["llama: created", "legal: created"]
    assert "  component llama: InService, 1 of 1 copies" in status.out.splitlines()
    assert "  component legal: InService, adapter of llama" in status.out.splitlines()


def test_import_writes_a_spec_on_which_there_is_nothing_to_do(run: Run, spec: Path, tmp_path: Path) -> None:
    run("apply", str(spec), *QUIET)
    target = tmp_path / "imported.yaml"

    assert run("import", "support-bot", "--output", str(target)).code == 0

    assert yaml.safe_load(target.read_text("utf-8"))["model"]["vllm"]["tensor_parallel_size"] == 8
    assert run("plan", str(target), *QUIET).code == 0
    again = run("import", "support-bot", "--output", str(target))
    assert (again.code, again.err) == (1, f"{target}: the file exists. Give another name, or move it away.\n")


def test_import_says_that_a_secret_is_in_it(run: Run, spec: Path) -> None:
    text = example_spec_text().replace("  vllm:\n", "  environment: {HF_TOKEN: hf_secret}\n  vllm:\n")
    spec.write_text(text, encoding="utf-8")
    run("apply", str(spec), *QUIET)

    ran = run("import", "support-bot")

    assert yaml.safe_load(ran.out)["model"]["environment"] == {"HF_TOKEN": "hf_secret"}
    assert "holds the values of HF_TOKEN" in ran.err


@pytest.mark.parametrize("command", ["status", "rollback", "import"])
def test_an_endpoint_that_does_not_exist_is_one_line(run: Run, command: str) -> None:
    ran = run(command, "nobody")

    assert (ran.code, ran.err) == (1, "There is no endpoint nobody in us-east-1. Check the name and the region.\n")


def test_prices_of_ones_own(run: Run, spec: Path, tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("as_of: 2026-01-01\nsource: ours\nregions: {us-east-1: {ml.p5.48xlarge: 10}}\n", encoding="utf-8")

    ran = run("plan", str(spec), *QUIET, "--prices", str(table))

    assert "0.00 USD an hour now, 70.00 during the change, 70.00 after it (prices of 2026-01-01)" in ran.out


def test_apply_asks_a_person_and_takes_no_for_an_answer(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmroute.cli.apply.can_ask", lambda: True)

    no = run("apply", str(spec), *QUIET, stdin="n\n")
    assert (no.code, run("status", "support-bot").code) == (1, 1)
    assert "+ create endpoint support-bot" in no.out

    assert run("apply", str(spec), *QUIET, stdin="y\n").code == 0
    nothing = run("apply", str(spec), *QUIET)  # Without a question.
    assert "Nothing to do." in nothing.out


def test_a_terminal_shows_a_bar_of_instances(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmroute.cli.deploying.can_redraw", lambda: True)

    ran = run("apply", str(spec), *QUIET)

    assert "support-bot: InService" in ran.out
    assert "7/7" in ran.out


def test_ctrl_c_says_that_sagemaker_goes_on(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(waiting.time, "sleep", interrupt)

    ran = run("apply", str(spec), *QUIET)

    assert (ran.code, ran.err.splitlines()[-1].split(".")[0]) == (130, "Stopped")
    assert "give the same command again" in ran.err


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--yes",)])
def test_a_table_of_prices_that_is_none_stops_before_anything_is_made(
    run: Run, spec: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("as_of: 2026-13-99", encoding="utf-8")

    ran = run("apply", str(spec), *QUIET, "--prices", str(prices), *options)

    assert (ran.code, ran.out) == (1, "")
    assert "prices.yaml: not YAML: month must be in 1..12" in ran.err
    assert "There is no endpoint" in run("status", str(spec)).err


@pytest.mark.parametrize("command", ["apply", "rollback", "destroy"])
def test_what_goes_on_after_a_stop_is_said_to_programs_too(
    run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    run("apply", str(spec), *QUIET)
    run("apply", _threshold(spec, 24), *QUIET)
    text = _threshold(spec, 32)

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(waiting.time, "sleep", stop)
    ran = run(command, text, "--format", "json", *{"apply": QUIET, "destroy": ("--yes",)}.get(command, ()))

    assert (ran.code, ran.out) == (130, "")
    assert "goes on; give the same command again" in ran.err


@pytest.mark.parametrize("place", ["warmroute.deploy.deployment.read_live", "warmroute.cli.plan.read_spec"])
def test_ctrl_c_during_a_plan_is_one_line(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr(place, _interrupt)

    ran = run("plan", str(spec), *QUIET)

    assert (ran.code, ran.out, ran.err) == (130, "", "Stopped.\n")


def test_ctrl_c_at_a_question_is_no_answer(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmroute.cli.apply.can_ask", lambda: True)
    monkeypatch.setattr("typer._click.termui.visible_prompt_func", _interrupt)

    ran = run("apply", str(spec), *QUIET)

    assert (ran.code, ran.err.splitlines()[-1]) == (130, "Stopped.")


def test_ctrl_c_while_the_command_loads_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.__import__", _interrupted_import)

    ran = run("schema")

    assert (ran.code, ran.out, ran.err) == (130, "", "Stopped.\n")


@pytest.mark.parametrize("arguments", [("--help",), ("schema", "--help"), ("schema",)])
def test_ctrl_c_while_a_command_is_looked_up_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr("warmroute.cli.commands._command", _interrupt)

    ran = run(*arguments)

    assert (ran.code, ran.err) == (130, "Stopped.\n")


def test_nothing_that_takes_time_is_loaded_before_ctrl_c_has_its_answer() -> None:
    program = "import sys, warmroute.cli; print(*(name for name in sys.modules if name.startswith('warmroute')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert set(loaded.split()) == {"warmroute", "warmroute.cli", "warmroute.cli.entry"}


def test_a_script_reads_the_account_once(run: Run, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []

    def counted(*arguments: Any) -> Any:
        reads.append(arguments)
        return read_live(*arguments)

    monkeypatch.setattr("warmroute.deploy.deployment.read_live", counted)

    for options in ((), ("--yes",), ("--format", "json")):
        assert run("apply", str(spec), *QUIET, *options).code == 0

    assert len(reads) == 3


def test_a_script_is_told_the_warnings_of_the_plan(run: Run, spec: Path) -> None:
    run("apply", str(spec), *QUIET)
    run("apply", _threshold(spec, 24), *QUIET)

    ran = run("apply", _threshold(spec, 16), *QUIET)

    assert (ran.code, "WR817" in ran.err, "WR817" in ran.out) == (0, True, False)


@pytest.mark.parametrize(("secret", "mode"), [(True, 0o600), (False, 0o644)])
def test_a_file_with_secrets_is_for_its_owner_alone(
    run: Run, spec: Path, tmp_path: Path, secret: bool, mode: int
) -> None:
    if secret:
        text = example_spec_text().replace("  vllm:\n", "  environment: {HF_TOKEN: hf_secret}\n  vllm:\n")
        spec.write_text(text, encoding="utf-8")
    run("apply", str(spec), *QUIET)
    before = os.umask(0o022)
    try:
        run("import", "support-bot", "--output", str(tmp_path / "imported.yaml"))
    finally:
        os.umask(before)

    assert (tmp_path / "imported.yaml").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("command", ["status", "rollback", "destroy", "import"])
def test_a_name_that_nothing_can_have_is_our_own_message(run: Run, command: str) -> None:
    for name in ("a b", "", "-x", "a" * 64, "chat/main"):
        ran = run(command, "--", name)

        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"{name!r} cannot be the name of an endpoint. Give 1 to 63 letters")


@pytest.mark.parametrize("to", ["", "a b"])
def test_a_configuration_that_cannot_be_is_our_own_message(run: Run, spec: Path, to: str) -> None:
    run("apply", str(spec), *QUIET)

    assert run("rollback", "support-bot", "--to", to).err.startswith(f"{to!r} cannot be the name of an endpoint conf")


@pytest.mark.parametrize("command", ["status", "rollback", "destroy", "import"])
def test_without_a_region_a_name_is_told_the_option(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")

    ran = run(command, "support-bot")

    assert ran.err == "No AWS region is set. Give --region, or set AWS_REGION or a profile's region.\n"


def test_suspended_scaling_is_in_the_status_and_what_a_spec_cannot_say_is_told(run: Run, spec: Path) -> None:
    scaling = "auto_scaling: [{variant_name: main, min_capacity: 2, max_capacity: 9}]\n"
    spec.write_text(example_spec_text() + scaling, encoding="utf-8")
    run("apply", str(spec), *QUIET)
    place = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "endpoint/support-bot/variant/main",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    boto3.client("application-autoscaling").register_scalable_target(
        SuspendedState={"DynamicScalingOutSuspended": True}, **place
    )

    assert "main: 2 to 9, suspended: scaling out" in run("status", "support-bot").out
    assert (
        "Not in the spec, and left as it is by an apply: scaling out of endpoint/" in run("import", "support-bot").err
    )
    assert "WR819" in run("plan", str(spec), *QUIET).out


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _interrupted_import(name: str, *arguments: Any, real: Any = __import__) -> Any:
    if name == "warmroute.cli.app":
        raise KeyboardInterrupt
    return real(name, *arguments)
