"""The documentation says what the code says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from warmroute.cli import main
from warmroute.cli.commands import COMMANDS
from warmroute.demo import example_spec_text
from warmroute.traffic import Format
from warmroute.traffic.writers import WRITERS

DOCS = Path(__file__).parents[1] / "docs"


def test_generated_pages_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    from generate import pages

    written = {path: (DOCS / path).read_text("utf-8") for path in pages()}

    assert written == pages(), "Run: make docs"
    assert {path.name for path in (DOCS / "reference/api").iterdir()} == {
        name.rpartition("/")[2] for name in written if "/api/" in name
    }


def test_the_spec_of_the_page_is_what_init_writes() -> None:
    assert f"```yaml\n{example_spec_text()}```" in (DOCS / "reference/spec.md").read_text("utf-8")


def _programs_with_the_cdk() -> list[tuple[str, str]]:
    root = DOCS.parent
    programs = {str(app.relative_to(root)): app.read_text("utf-8") for app in root.glob("examples/**/*.py")}
    for page in (root / "README.md", *DOCS.rglob("*.md"), *root.glob("examples/**/README.md")):
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        programs |= {f"{page.relative_to(root)}, program {number}": code for number, code in enumerate(blocks)}
    return [(name, code) for name, code in programs.items() if "from aws_cdk" in code]


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in _programs_with_the_cdk()])
def test_programs_with_the_cdk_choose_its_node_before_it_starts(code: str) -> None:
    """aws_cdk starts Node.js when it is imported: the machine's, which may be missing or too old."""
    imported = [str(each.module) for each in ast.walk(ast.parse(code)) if isinstance(each, ast.ImportFrom)]
    cdk = [name.split(".")[0] for name in imported if name.split(".")[0] in {"aws_cdk", "warmroute_cdk"}]

    assert cdk[0] == "warmroute_cdk"


def test_commands_of_the_pages_exist() -> None:
    known = set(COMMANDS)
    for page in DOCS.rglob("*.md"):
        text = page.read_text("utf-8")
        used = re.findall(r"^warmroute (\w+)", text, re.MULTILINE) + re.findall(r"`warmroute (\w+)", text)
        assert set(used) <= known, page.name


def test_every_other_id_of_a_finding_is_explained_on_some_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    sources = (DOCS.parent / "sdk/warmroute").rglob("*.py")
    used = {found for path in sources for found in re.findall(r'"(WR\d{3})"', path.read_text("utf-8"))}
    single_fields = {f"WR00{number}" for number in range(1, 8)}  # A range of the page of checks.

    assert {id_ for id_ in used - single_fields if id_ not in pages} == set()


def test_every_benchmark_is_run_by_the_command_of_all_or_named_to_contributors() -> None:
    root = DOCS.parent
    runs = {path.stem for path in (root / "benchmarks").glob("*.py") if "\ndef run(" in path.read_text("utf-8")}
    registered = set(re.findall(r'^    "(\w+)": ', (root / "benchmarks/__main__.py").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"`python -m benchmarks\.(\w+)`", (root / "CONTRIBUTING.md").read_text("utf-8")))

    assert runs == registered | named


def test_every_finding_of_a_deployment_has_its_row() -> None:
    """Those of `warmroute checks` have a page of their own."""
    sources = (DOCS.parent / "sdk/warmroute/deploy").rglob("*.py")
    used = {found for path in sources for found in re.findall(r'"(WR8\d\d)"', path.read_text("utf-8"))}
    rows = set(re.findall(r"^\| (WR8\d\d) \|", (DOCS / "reference/deploying.md").read_text("utf-8"), re.MULTILINE))

    assert used == rows


def test_commands_of_the_page_of_traffic_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = (DOCS / "reference/traffic.md").read_text("utf-8")
    (block,) = re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    for command in block.splitlines():
        fewer = ["--requests", "130"] if " sample " in command else []
        monkeypatch.setattr("sys.argv", [*command.split(), *fewer])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert not stopped.value.code, command

    assert {path.name for path in tmp_path.iterdir()} > {"captures", "replay.jsonl.gz", "trace.jsonl", "mooncake.jsonl"}


def test_the_page_of_traffic_names_every_format() -> None:
    page = (DOCS / "reference/traffic.md").read_text("utf-8")

    assert [name for name in (*Format, *WRITERS) if f"`{name}`" not in page] == []
