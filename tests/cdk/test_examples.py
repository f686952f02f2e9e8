"""The example apps synthesise, lint, satisfy cdk-nag, and make what they made before."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk.assertions import Annotations, Match
from cdk.published import unknown_series
from cdk.synthesis import lint, resources_of, template_of
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks

EXAMPLES = Path(__file__).parents[2] / "examples" / "cdk"
NAMES = sorted(each.parent.name for each in EXAMPLES.glob("*/app.py"))


@cache
def example(name: str) -> tuple[App, Stack, dict[str, Any]]:
    # The app writes where the CDK's command would tell it to; a test needs no more than the tree.
    app = runpy.run_path(str(EXAMPLES / name / "app.py"))["app"]
    (stack,) = (child for child in app.node.children if Stack.is_stack(child))
    return app, stack, template_of(stack)


@pytest.fixture(autouse=True)
def _output(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("CDK_OUTDIR", str(tmp_path_factory.mktemp("cdk")))


@pytest.mark.parametrize("name", NAMES)
def test_the_template_is_this(name, snapshot):
    assert example(name)[2]["Resources"] == snapshot


@pytest.mark.parametrize("name", NAMES)
def test_it_lints_and_watches_what_exists(name):
    template = example(name)[2]
    assert lint(template) == []
    assert unknown_series(template) == []


@pytest.mark.parametrize("name", NAMES)
def test_policy_checkers_find_nothing(name):
    app = example(name)[0]
    packs = (AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks)
    found = {violation.rule_name for pack in packs for violation in pack(app).validate_scope(app).violations}
    assert found == set()


@pytest.mark.parametrize("name", NAMES)
def test_it_warns_of_nothing(name):
    assert Annotations.from_stack(example(name)[1]).find_warning("*", Match.any_value()) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_table_and_a_page_describe_it(name):
    assert f"[{name}]({name})" in (EXAMPLES / "README.md").read_text("utf-8")
    assert (EXAMPLES / name / "README.md").exists()


def test_bad_updates_of_the_endpoint_with_alarms_are_rolled_back():
    (endpoint,) = resources_of(example("alarms_and_dashboard")[2], "AWS::SageMaker::Endpoint")
    assert len(endpoint["Properties"]["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"]) == 4
