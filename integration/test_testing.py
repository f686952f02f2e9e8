"""The pytest plugin as the documentation shows it, against a real server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warmroute.demo import example_spec_text

pytest_plugins = ["pytester"]

PAGES = Path(__file__).parents[1] / "docs"


def test_the_page_s_own_project_passes_under_xdist_and_leaves_no_process(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (PAGES / "how-to/testing.md").read_text("utf-8")
    blocks = re.findall(r'^```python title="(.*?)"\n(.*?)^```', page, re.DOTALL | re.MULTILINE)
    assert page.count("```python") == len(blocks) == 5
    files: dict[str, str] = {}
    for name, code in blocks:
        files[name] = files.get(name, "") + code  # What is added to conftest.py further down.
    for name, code in files.items():
        (pytester.path / name).write_text(code, "utf-8")
    (pytester.path / "endpoint.yaml").write_text(example_spec_text(), "utf-8")
    mark = f"WARMROUTE_TEST_RUN={pytester.path}"
    monkeypatch.setenv(*mark.split("=", 1))

    ran = pytester.runpytest_subprocess("-n", "1", "-W", "error")

    ran.assert_outcomes(passed=3)
    assert _processes(mark) == []


def test_the_page_of_the_local_endpoint_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (PAGES / "reference/local.md").read_text("utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "endpoint.yaml").write_text(example_spec_text(), "utf-8")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}

    exec(block + '    answer = client.invoke_endpoint(EndpointName="support-bot", Body=b\'{"prompt": "x"}\')\n', scope)

    assert scope["answer"]["ResponseMetadata"]["HTTPStatusCode"] == 200  # type: ignore[index]


def _processes(mark: str) -> list[str]:
    """Processes that have inherited a mark in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdecimal() and mark.encode() in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            continue  # It has ended, or is somebody else's.
    return found
