"""What the shells are told, by the protocol that their scripts speak: variables in, words out."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from warmroute.traffic import Format

if TYPE_CHECKING:
    from conftest import Ran

    Run = Callable[..., Ran]


@pytest.fixture(params=["bash", "zsh", "fish"])
def offered(request: pytest.FixtureRequest, run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """The words that a shell is offered for a line with the cursor at its end; none stands for files."""
    shell = request.param

    def offered(line: str) -> list[str]:
        words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
        monkeypatch.setenv("_WARMROUTE_COMPLETE", f"complete_{shell}")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        ran = run()
        assert ran.code == 0
        assert "Traceback" not in ran.err
        lines = ran.out.strip().splitlines()
        if shell == "zsh":
            text = ran.out.strip()
            if text == "_files":
                return []
            assert text.startswith("_arguments '*: :((")
            lines = [part.split('"')[1] for part in text.removeprefix("_arguments '*: :((").splitlines()]
        return [line.partition("\t")[0] for line in lines]

    return offered


def test_commands(offered: Callable[[str], list[str]]) -> None:
    assert {"init", "validate", "tune", "doctor"} <= set(offered("warmroute "))
    assert offered("warmroute va") == ["validate"]


def test_options(offered: Callable[[str], list[str]]) -> None:
    assert offered("warmroute tune trace.jsonl --slo") == ["--slo-ttft-p90"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("warmroute tune trace.jsonl --input-format ", [str(each) for each in Format]),
        ("warmroute replay trace.jsonl --input-format open", ["openai-batch"]),
        ("warmroute convert trace.jsonl --to vllm", ["vllm-custom", "vllm-timed"]),
        ("warmroute simulate trace.jsonl --routing-strategy PRE", ["PREFIX_AWARE"]),
        ("warmroute simulate trace.jsonl --profile ll", ["llama-3.1-70b-8xh100"]),
        ("warmroute render endpoint.yaml --to ", ["boto3", "cloudformation", "terraform", "sagemaker-core"]),
        ("warmroute local --engine v", ["vllm"]),
    ],
)
def test_names(offered: Callable[[str], list[str]], line: str, words: list[str]) -> None:
    assert offered(line) == words


@pytest.mark.parametrize(
    "line", ["warmroute validate ", "warmroute tune --spec end", "warmroute simulate x --profile my-"]
)
def test_files_are_the_shell_s_own(offered: Callable[[str], list[str]], line: str) -> None:
    assert offered(line) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_calls_this_command(run: Run, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    ran = run("--show-completion")

    assert ran.code == 0
    assert f"_WARMROUTE_COMPLETE=complete_{shell}" in ran.out
