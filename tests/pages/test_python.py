"""The programs of the pages run, print what the pages say, and import what there is."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from pages.blocks import DOCS, PAGES, Block, blocks, blocks_of

from warmroute.demo import example_spec_text

ELSEWHERE = {"local.md", "replaying.md", "testing.md"}
"""Pages whose programs need a server, and integration/test_testing.py runs them; that of replaying needs a process."""


def _run_here(block: Block) -> bool:
    """Programs with a title are files, which integration/test_pages.py writes and runs."""
    return block.language == "python" and block.title is None


RUN_HERE = [
    pytest.param(page, id=page.stem)
    for page in PAGES
    if page.is_relative_to(DOCS) and page.name not in ELSEWHERE and any(map(_run_here, blocks_of(page)))
]


@pytest.mark.parametrize("page", RUN_HERE)
def test_programs_of_a_page_run(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The programs of one page follow each other, as a reader would run them; a text below one is what it prints."""
    (tmp_path / "endpoint.yaml").write_text(example_spec_text(), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CDK_OUTDIR", str(tmp_path / "cdk.out"))
    scope: dict[str, object] = {}

    for block, following in pairwise([*blocks_of(page), None]):
        if block is None or not _run_here(block):
            continue
        capsys.readouterr()
        exec(compile(block.text, str(block), "exec"), scope)
        printed = capsys.readouterr().out
        if following is not None and following.language == "text":
            assert printed == following.text, f"{following}: the program prints\n{printed}"


@pytest.mark.parametrize(
    "block",
    # Locust replaces parts of the standard library; its program is read in a process of its own, below.
    [pytest.param(block, id=str(block)) for block in blocks("python") if "warmroute.measure.load" not in block.text],
)
def test_what_a_program_imports_exists(block: Block) -> None:
    assert _missing(block.text) == []


@pytest.mark.parametrize(
    "text",
    [
        "from warmroute import RoutingConfiguration\n",
        "from warmroute.clients import sagemaker\n",
        "import warmroute.clients\n",
        "from warmroute import EndpointSpec\n\nEndpointSpec.read('endpoint.yaml')\n",
    ],
)
def test_a_wrong_name_is_found(text: str) -> None:
    assert _missing(text)


def _missing(text: str) -> list[str]:
    """Names of warmroute that a program uses and that there are not."""
    missing: list[str] = []
    known: dict[str, object] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            missing += [each.name for each in node.names if _is_ours(each.name) and not _exists(each.name)]
        elif isinstance(node, ast.ImportFrom) and _is_ours(str(node.module)):
            for each in node.names:
                if not _exists(str(node.module)):
                    missing.append(str(node.module))
                elif hasattr(module := import_module(str(node.module)), each.name):
                    known[each.asname or each.name] = getattr(module, each.name)
                elif _exists(f"{node.module}.{each.name}"):
                    known[each.asname or each.name] = import_module(f"{node.module}.{each.name}")
                else:
                    missing.append(f"{node.module}.{each.name}")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            missing += [node.attr] if not hasattr(known[node.value.id], node.attr) else []
    return missing


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in {"warmroute", "warmroute_cdk"}


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_the_locustfile_of_the_page_on_replaying_is_one(tmp_path: Path) -> None:
    """Locust's own command reads it, in another process: it replaces parts of the standard library."""
    if importlib.util.find_spec("locust") is None:
        pytest.skip("locust is not installed")
    (program,) = [block for block in blocks_of(DOCS / "reference/replaying.md") if block.language == "python"]
    (tmp_path / "locustfile.py").write_text(program.text, "utf-8")

    command = [sys.executable, "-m", "locust", "-f", str(tmp_path / "locustfile.py"), "--list"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout

    assert "SupportBot" in said
