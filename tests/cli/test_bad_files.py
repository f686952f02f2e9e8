"""Every command that reads or writes a file says in a line or two what is wrong with it; no traceback, ever."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from warmroute.cli.commands import COMMANDS
from warmroute.demo import example_spec_text

if TYPE_CHECKING:
    from conftest import Ran

    Run = Callable[..., Ran]

READING = {
    "apply": "apply {}",
    "canonical": "canonical {}",
    "compare": "compare {} --arm a=endpoint/x --arm b=endpoint/y --dry-run",
    "compare --arm": "compare {trace} --arm a={} --arm b=endpoint/y --dry-run",
    "convert": "convert {} --to anonymised -o out.jsonl",
    "demo": "demo --trace {}",
    "destroy": "destroy {}.yaml --yes",
    "digest": "digest {} -o out.parquet",
    "doctor": "doctor {}",
    "explain": "explain {} {}",
    "key": "key {}",
    "lint": "lint {}",
    "local": "local {}",
    "plan": "plan {}",
    "plan --prices": "plan {spec} --prices {}",
    "profile": "profile {}",
    "render": "render {} --to boto3",
    "replay": "replay {} --api openai --base-url http://127.0.0.1:9/v1 --output out",
    "report": "report {}",
    "rollback": "rollback {}.yaml",
    "simulate": "simulate {} --instances 2",
    "simulate --profile": "simulate {trace} --instances 2 --profile {}",
    "status": "status {}.yaml",
    "tune": "tune {} --instances 2",
    "tune --spec": "tune {trace} --spec {}",
    "validate": "validate {}",
}
"""A command line for each file that a command reads, with {} in its place."""

WRITING = {
    "calibrate": "calibrate http://127.0.0.1:9/v1 -o {}",
    "convert": "convert {trace} --to anonymised -o {}",
    "digest": "digest {trace} -o {}",
    "init": "init {}",
    "sample": "sample {} --requests 5",
}

NO_FILES = {"checks", "schema", "import"}
"""Commands that read no file; of an import, only the account is asked first."""

AWS_SETTINGS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
BAD = ("missing", "folder", "empty", "binary", "below-a-file", "nul\0", "unreadable")


@pytest.fixture
def fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], list[str]]:
    """The words of a command line with a bad file in it."""
    monkeypatch.chdir(tmp_path)
    for name, value in AWS_SETTINGS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "spec.yaml").write_text(example_spec_text(), encoding="utf-8")
    (tmp_path / "trace.jsonl").write_text('{"messages": [{"role": "user", "content": "Hi"}]}\n' * 200, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "file").write_bytes(b"{}")
    for name in ("folder", "empty", "binary"):  # Of commands for which another name is an endpoint.
        (tmp_path / f"{name}.yaml").symlink_to(name)
    paths = {"below-a-file": "file/below", "unreadable": "/proc/self/mem"}

    def fill(line: str, bad: str) -> list[str]:
        given = {"{trace}": "trace.jsonl", "{spec}": "spec.yaml"}
        return [given.get(word) or word.replace("{}", paths.get(bad, bad)) for word in line.split()]

    return fill


def test_every_command_is_tried() -> None:
    tried = {line.split()[0] for line in (*READING.values(), *WRITING.values())}

    assert tried | NO_FILES == set(COMMANDS)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", READING)
def test_a_bad_file_has_its_message(run: Run, fill: Callable[[str, str], list[str]], name: str, bad: str) -> None:
    words = fill(READING[name], bad)
    ran = run(*words)

    said = (ran.out + ran.err).strip()
    if (name, bad) in FINE:
        assert ran.code == 0
        return
    assert ran.code in {1, 2}, said
    assert "Traceback" not in said
    assert said
    assert len(said.splitlines()) <= MOST_LINES, said


MOST_LINES = 12
"""A message, within typer's frame for wrong usage; or a finding for each field that a spec lacks."""

FINE = {("lint", "empty")}
"""No request has no findings."""


@pytest.mark.parametrize("bad", ["folder", "below-a-file", "nul\0"])
@pytest.mark.parametrize("name", WRITING)
def test_a_place_that_cannot_be_written_has_its_message(
    run: Run, fill: Callable[[str, str], list[str]], name: str, bad: str
) -> None:
    if (name, bad) == ("sample", "folder"):
        pytest.skip("a folder is what it writes into")
    ran = run(*fill(WRITING[name], bad))

    said = (ran.out + ran.err).strip()
    assert ran.code in {1, 2}, said
    assert said
    assert "Traceback" not in said


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_wrong_usage(run: Run, name: str) -> None:
    ran = run(name, "--no-such-option")

    assert ran.code == 2
    assert "--no-such-option" in ran.err
    assert "Traceback" not in ran.err
