"""The README's programs run, its spec is valid, and its commands exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from warmroute.cli.commands import COMMANDS
from warmroute.demo import example_spec
from warmroute.hosting import parse_spec

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
PROGRAMS = [code for language, code in BLOCKS if language == "python"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.splitlines()[0])
def test_programs_run(program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "endpoint.yaml").write_text((ROOT / "sdk/warmroute/demo/endpoint.yaml").read_text("utf-8"), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CDK_OUTDIR", str(tmp_path / "cdk.out"))

    exec(compile(program, "README.md", "exec"), {})


def test_the_spec_is_what_init_writes() -> None:
    (yaml,) = (code for language, code in BLOCKS if language == "yaml")

    assert parse_spec(yaml) == example_spec()


def test_commands_exist() -> None:
    used = set(re.findall(r"^(?:\$ )?warmroute (\w+)", README, re.MULTILINE))

    assert used <= set(COMMANDS)
    assert {"apply", "render", "local", "validate"} <= used


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))

    assert set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE)) <= targets


def test_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (sentence,) = re.findall(r"^Install from a clone.*?^$", README, re.DOTALL | re.MULTILINE)

    assert set(re.findall(r"`(\w+)`", sentence)) | set(re.findall(r"\[(\w+)\]", sentence)) == set(
        project["optional-dependencies"]
    )
