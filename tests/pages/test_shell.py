"""What readers are told to type exists: commands, options, make targets, extras, files."""

from __future__ import annotations

import re

import pytest
from pages.blocks import PAGES, ROOT, Block, blocks
from pages.shell import commands, fault

SHELL = blocks("sh")


@pytest.mark.parametrize("block", [pytest.param(block, id=str(block)) for block in SHELL])
def test_every_command_of_a_block_can_work(block: Block) -> None:
    assert _faults(block) == []


def test_commands_within_sentences_can_work() -> None:
    """They may leave out what a command needs, and stand for any files."""
    wrong = {}
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for span in re.findall(r"`(warmroute [^`…]*)`", text):
            block = Block(str(page.relative_to(ROOT)), 1, "sh", None, " ".join(span.split()))
            wrong |= {
                f"{page.name}: {span}": each for each in _faults(block) if not each.startswith("Missing parameter")
            }

    assert wrong == {}


def _faults(block: Block) -> list[str]:
    return [reason for command in commands(block) if (reason := fault(command, block))]


@pytest.mark.parametrize(
    "line",
    [
        "warmroute deploy endpoint.yaml",
        "warmroute apply endpoint.yaml --adapt",
        "warmroute apply",
        "warmroute render endpoint.yaml --to pulumi",
        "warmroute local endpoint.yaml --port 90000",
        "warmroute sample captures && warmroute tuned captures",
        "make everything",
        "pip install '.[lokal]'",
        "python -m benchmarks fleet_silver",
        "python -m benchmarks.fleet_silver",
        "python examples/nothing/main.py",
        "npx cdk deploy -c specification=endpoint.yaml",
        "cdk undeploy",
        "aws sagemaker describe-endpoint-configuration",
        "aws sagemaker describe-endpoint-config --name x",
        "locust -f examples/nothing.py",
        "cd examples/nothing",
        "warmrout validate endpoint.yaml",
    ],
)
def test_a_wrong_command_is_found(line: str) -> None:
    block = Block("README.md", 1, "sh", None, line)

    assert _faults(block)


def test_comments_continuations_and_redirections_are_no_arguments() -> None:
    text = "A=1 warmroute validate \\\n  endpoint.yaml > out.txt  # says what is wrong\nwarmroute checks | head -3\n"

    words = list(commands(Block("README.md", 1, "sh", None, text)))

    assert words == [["warmroute", "validate", "endpoint.yaml"], ["warmroute", "checks"], ["head", "-3"]]
