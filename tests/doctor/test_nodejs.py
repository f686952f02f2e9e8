"""The probes of Node.js and the CDK's command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from doctor.conftest import Site

from warmroute.doctor import Status, nodejs

Program = Callable[..., Path]


@pytest.fixture
def with_cdk(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Site:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nodejs, "bundled_node", lambda: None)
    return site.core().add("aws-cdk-lib", "2.275")


def test_without_the_extra_neither_is_needed(site: Site) -> None:
    assert list(nodejs.node(site.core().machine())) == []
    assert list(nodejs.cdk_cli(site.machine())) == []


def test_node_of_the_search_path(with_cdk: Site, program: Program) -> None:
    file = program("node", "v24.1.0")

    (found,) = nodejs.node(with_cdk.machine(environment={"PATH": str(file.parent)}))

    assert str(found) == f"ok       Node.js: v24.1.0, {file}."


def test_the_bundled_node_comes_first(with_cdk: Site, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program("node", "v12.0.0")
    bundled = program("bundled", "v22.0.0")
    monkeypatch.setattr(nodejs, "bundled_node", lambda: bundled)

    (found,) = nodejs.node(with_cdk.machine(environment={"PATH": str(bundled.parent)}))

    assert str(found) == f"ok       Node.js: v22.0.0, {bundled}."


@pytest.mark.parametrize(
    ("says", "code", "message"),
    [
        ("v18.2.0", 0, "{} is v18.2.0; the CDK needs 20 or newer."),
        ("no such option", 0, "{} cannot be run."),
        ("", 1, "{} cannot be run."),
    ],
)
def test_a_node_that_does_not_do(with_cdk: Site, program: Program, says: str, code: int, message: str) -> None:
    file = program("node", says, code)

    (found,) = nodejs.node(with_cdk.machine(environment={"JSII_NODE": str(file)}))

    assert (found.status, found.message) == (Status.PROBLEM, message.format(file))
    assert found.remedy == "Unset JSII_NODE."


def test_no_node_at_all(with_cdk: Site) -> None:
    (found,) = nodejs.node(with_cdk.machine(environment={"PATH": "/nonexistent"}))

    assert found.status is Status.PROBLEM
    assert found.remedy == "Run: pip install 'warmroute[cdk]'"


def test_the_cdk_cli_of_the_search_path(with_cdk: Site, program: Program) -> None:
    file = program("cdk", "2.1148.1 (build fcf5e34)")

    (found,) = nodejs.cdk_cli(with_cdk.machine(environment={"PATH": str(file.parent)}))

    assert str(found) == f"ok       CDK CLI: 2.1148.1 (build fcf5e34), {file}."


def test_the_cdk_cli_of_this_folder(with_cdk: Site, program: Program, tmp_path: Path) -> None:
    own = tmp_path / "node_modules" / ".bin" / "cdk"
    own.parent.mkdir(parents=True)
    program("cdk", "2.1148.1").rename(own)

    (found,) = nodejs.cdk_cli(with_cdk.machine(environment={"PATH": "/nonexistent"}))

    assert str(found) == "ok       CDK CLI: 2.1148.1, node_modules/.bin/cdk."


def test_no_cdk_cli(with_cdk: Site) -> None:
    (found,) = nodejs.cdk_cli(with_cdk.machine(environment={"PATH": "/nonexistent"}))

    assert found.status is Status.WARNING
    assert "npm install -g aws-cdk" in found.remedy


def test_a_cdk_cli_that_fails(with_cdk: Site, program: Program) -> None:
    file = program("cdk", "node: not found", code=127)

    (found,) = nodejs.cdk_cli(with_cdk.machine(environment={"PATH": str(file.parent)}))

    assert (found.status, found.message) == (Status.PROBLEM, f"{file} cannot be run: node: not found.")
