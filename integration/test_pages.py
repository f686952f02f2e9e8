"""Tutorials and how-to guides as their readers follow them: files written, commands run, outputs compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reader import ROOT, Reader

from warmroute.demo import example_spec_text

TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
GUIDES = [
    page for page in sorted((ROOT / "docs/how-to").glob("*.md")) if page.stem != "testing"
]  # See test_testing.py.


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in TUTORIALS])
def test_a_tutorial_works_from_an_empty_folder(page: Path, tmp_path: Path) -> None:
    if "npx cdk" in page.read_text("utf-8") and not (ROOT / "node_modules/.bin/cdk").exists():
        pytest.skip("The CDK's command line is not in the checkout: run make cdk.")
    folder = tmp_path / "empty"
    folder.mkdir()

    with Reader(folder) as reader:
        assert reader.follow(page)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in GUIDES])
def test_a_guide_works_for_a_reader_who_has_an_endpoint(page: Path, tmp_path: Path) -> None:
    """The endpoint of the example spec runs in the account that the reader's environment names."""
    folder = tmp_path / "project"
    folder.mkdir()
    spec = example_spec_text()
    if page.stem == "migrating":  # From RANDOM, which has no further settings; they are the end of the spec.
        spec = spec.partition("      prefix_aware_routing_config:")[0].replace("PREFIX_AWARE", "RANDOM")
    (folder / "endpoint.yaml").write_text(spec, "utf-8")
    (tmp_path / "account.md").write_text(ACCOUNT, "utf-8")

    with Reader(folder) as reader:
        reader.follow(tmp_path / "account.md")
        reader.follow(page)


ACCOUNT = """
```sh
warmroute local --deployment-seconds 0 --speed 100
```

```sh
export AWS_ENDPOINT_URL=http://localhost:8333 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
export AWS_DEFAULT_REGION=us-east-1
warmroute apply endpoint.yaml
```
"""


def test_a_wrong_command_and_a_wrong_output_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with Reader(tmp_path) as reader:
        for block in ("warmroute validate nothing.yaml\n```\n", "echo one\n```\n\n```text\ntwo\n```\n"):
            page.write_text(f"```sh\n{block}", "utf-8")
            with pytest.raises(AssertionError, match=re.escape(block.splitlines()[0].partition(" ")[2])):
                reader.follow(page)
