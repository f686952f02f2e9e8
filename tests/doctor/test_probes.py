"""All probes together, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from cli.conftest import run  # noqa: F401 - a fixture.
from doctor.conftest import Site

from warmroute.cli import entry
from warmroute.doctor import Diagnosis, Machine, Status, probes
from warmroute.doctor.diagnosis import ok, problem, warning

if TYPE_CHECKING:
    from cli.conftest import Ran

    Run = Callable[..., Ran]


def _broken(machine: Machine) -> Iterator[Diagnosis]:
    yield ok("first", "it is there.")
    raise RuntimeError("cannot load libxyz")


def test_a_probe_that_breaks_is_a_finding() -> None:
    found = list(probes.asked(_broken, Machine()))

    assert [str(each) for each in found] == [
        "ok       first: it is there.",
        (
            "warning   broken: it cannot be looked at: RuntimeError: cannot load libxyz. "
            "Mend the problems that are told first."
        ),
    ]


def test_the_spec_and_the_account_are_asked_only_when_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "PROBES", ())
    monkeypatch.setattr(probes, "ask_account", lambda machine, spec: [ok("account", "asked.")])

    assert list(probes.diagnose(Machine())) == []
    assert [each.subject for each in probes.diagnose(Machine(), online=True)] == ["account"]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Diagnosis]:
    """What the only probe finds."""
    found: list[Diagnosis] = [ok("Python", "3.11.7.")]
    monkeypatch.setattr(probes, "PROBES", (lambda machine: found,))
    return found


def test_a_healthy_environment(run: Run, found: list[Diagnosis]) -> None:  # noqa: F811
    found.append(warning("region", "none is set.", "Set AWS_DEFAULT_REGION."))
    ran = run("doctor")

    assert ran.code == 0
    assert ran.out.splitlines() == [
        "ok       Python: 3.11.7.",
        "warning  region: none is set. Set AWS_DEFAULT_REGION.",
        "0 problems, 1 warning",
    ]


def test_a_problem_is_exit_code_1(run: Run, found: list[Diagnosis]) -> None:  # noqa: F811
    found.append(problem("botocore", "1.40 is too old.", "Run: pip install 'boto3>=1.43.68'"))
    ran = run("doctor", "--format", "json")

    assert ran.code == 1
    answer: dict[str, Any] = json.loads(ran.out)
    assert answer["healthy"] is False
    assert answer["diagnoses"][1] == {
        "subject": "botocore",
        "status": "problem",
        "message": "1.40 is too old.",
        "remedy": "Run: pip install 'boto3>=1.43.68'",
    }


def test_a_command_that_cannot_start_says_what_mends_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add("boto3", "1.44.8")
    monkeypatch.setattr("warmroute.doctor.machine.Machine", site.machine)

    said = entry._explained(ModuleNotFoundError("No module named 'orjson'"))

    assert said.splitlines() == [
        "warmroute cannot start: No module named 'orjson'.",
        "problem  packages: orjson is missing. Run: pip install 'orjson>=3.10'",
    ]


def test_every_status_is_a_word() -> None:
    assert [str(each) for each in Status] == ["ok", "warning", "problem"]
