"""``warmroute doctor`` as it is printed, and what a command says that cannot even start."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from warmroute.demo import example_spec_text
from warmroute.doctor.diagnosis import Diagnosis, ok, problem, warning

Run = Callable[..., Any]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the doctor finds, and what it was asked to look at."""
    known: dict[str, Any] = {"diagnoses": [ok("Python", "3.11."), warning("clock", "Is late.", "Set it.")]}

    def diagnose(**asked: Any) -> Iterator[Diagnosis]:
        known["asked"] = asked
        yield from known["diagnoses"]

    monkeypatch.setattr("warmroute.doctor.diagnose", diagnose)
    return known


def test_each_finding_has_a_line_and_warnings_leave_the_exit_code_0(run: Run, found: dict[str, Any]) -> None:
    ran = run("doctor")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "ok       Python: 3.11.",
        "warning  clock: Is late. Set it.",
        "0 problems, 1 warning",
    ]
    assert found["asked"] == {"spec": None, "online": False}


def test_a_problem_has_exit_code_1(run: Run, found: dict[str, Any]) -> None:
    found["diagnoses"].append(problem("boto3", "Is missing.", "Install it."))
    ran = run("doctor")

    assert (ran.code, ran.out.splitlines()[-1]) == (1, "1 problem, 1 warning")


def test_programs_read_one_document_about_a_spec(run: Run, found: dict[str, Any]) -> None:
    ran = run("doctor", "-", "--online", "--format", "json", stdin=example_spec_text())

    told = json.loads(ran.out)
    assert (ran.code, told["healthy"]) == (0, True)
    assert told["diagnoses"][1] == {"subject": "clock", "status": "warning", "message": "Is late.", "remedy": "Set it."}
    assert (found["asked"]["spec"].name, found["asked"]["online"]) == ("support-bot", True)


def test_a_command_that_lacks_what_it_always_needs_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warmroute.cli.app", None)
    ran = run("validate", "endpoint.yaml")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("warmroute cannot start: import of warmroute.cli.app halted")
    assert "Traceback" not in ran.err


def test_without_its_own_doctor_a_command_can_only_be_installed_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("warmroute.cli.app", "warmroute.doctor.packages"):
        monkeypatch.setitem(sys.modules, module, None)

    assert run("validate").err.splitlines()[-1] == "Run: pip install --force-reinstall warmroute"
