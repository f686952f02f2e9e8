"""What the pages show as YAML and JSON is what warmroute reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pages.blocks import DOCS, PAGES, Block, blocks, blocks_of
from pages.shell import commands, fault

from warmroute.demo import example_spec_text
from warmroute.deploy import load_prices
from warmroute.fleet import load_profile
from warmroute.hosting import check, parse_spec

LANGUAGES = {"python", "yaml", "json", "sh", "text"}


def test_every_block_names_its_language() -> None:
    assert [str(block) for page in PAGES for block in blocks_of(page) if block.language not in LANGUAGES] == []


def test_every_fence_is_a_block() -> None:
    """None is malformed, so that it would escape the tests."""
    for page in PAGES:
        assert len(re.findall(r"^ *```", page.read_text("utf-8"), re.MULTILINE)) == 2 * len(blocks_of(page)), page


@pytest.mark.parametrize("block", [pytest.param(block, id=str(block)) for block in blocks("yaml")])
def test_yaml_is_read(block: Block, tmp_path: Path) -> None:
    problem = _problem(block, tmp_path)

    assert problem is None


@pytest.mark.parametrize(
    "text",
    [
        "name: bot\nvariants: []\n",
        "silenced: [{id: WR103, reason: because}]\n",
        "routing_config: {routing_strategy: PREFIX_AWARE}\n",
        "as_of: 2026-08-17\nregions: {us-east-1: {ml.p5.48xlarge: cheap}}\n",
        "cost_model: {scale: fast}\n",
        "jobs: {check: {steps: [{run: warmroute validated endpoint.yaml}]}}\n",
        "something: else\n",
        "name: [\n",
    ],
)
def test_wrong_yaml_is_found(text: str, tmp_path: Path) -> None:
    assert _problem(Block("docs/index.md", 1, "yaml", None, text), tmp_path)


def _problem(block: Block, folder: Path) -> str | None:
    """Why a block is none of the documents that the project knows, or None."""
    file = folder / "block.yaml"
    file.write_text(block.text, "utf-8")
    try:
        value = yaml.safe_load(block.text)
        if "as_of" in value:
            load_prices(file)
        elif "cost_model" in value:
            load_profile(str(file))
        elif "jobs" in value:
            return _problem_of_workflow(value, block)
        elif "scrape_configs" not in value:
            findings = check(parse_spec(_whole(block.text, value)))
            return "\n".join(map(str, findings)) or None
    except Exception as error:  # noqa: BLE001 - whatever reads it says what is wrong.
        return str(error)
    return None


def _whole(text: str, value: dict[str, Any]) -> str:
    """A spec, made of the example's where a block shows a part of one: of the endpoint, or of its variant."""
    if "variants" in value and "name" in value:
        return text
    example = yaml.safe_load(example_spec_text())
    of_variant = {"routing_config", "instance_pools", "managed_instance_scaling"}
    if of_variant & set(value):
        example["variants"][0] |= value
        return yaml.safe_dump(example)
    return yaml.safe_dump(example | value)


def _problem_of_workflow(value: dict[str, Any], block: Block) -> str | None:
    lines = [step["run"] for job in value["jobs"].values() for step in job["steps"] if "run" in step]
    shell = Block(block.page, block.line, "sh", None, "\n".join(lines))
    faults = [reason for command in commands(shell) if (reason := fault(command, shell))]
    return "\n".join(faults) or None


@pytest.mark.parametrize("block", [pytest.param(block, id=str(block)) for block in blocks("json")])
def test_json_is_read(block: Block) -> None:
    json.loads(block.text)


def test_text_is_the_output_of_what_is_before_it() -> None:
    """So that it is compared; a command's by integration/test_pages.py. Usage lines are made of the code."""
    for page in DOCS.rglob("*.md"):
        previous = ""
        for block in blocks_of(page):
            if block.language == "text":
                assert previous in {"sh", "python"} or block.page == "docs/reference/cli.md", str(block)
            previous = block.language
