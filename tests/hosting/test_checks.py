"""Every rule finds what breaks it, where it stands, and nothing in the spec next to it."""

from __future__ import annotations

import re

import pytest
from hosting.cases import components, endpoint, engine, guardrails, routing, scaling, variants
from hosting.specs import COMPONENTS, ONE_MODEL, SERVERLESS, changed, findings

from warmroute import rules
from warmroute.errors import InvalidSettingsError, Severity
from warmroute.hosting import EndpointSpec, check
from warmroute.rules import RULES, rules_for

MODULES = (routing, variants, engine, components, scaling, guardrails, endpoint)
CASES = [case for module in MODULES for case in module.CASES]
WARNINGS = [case for case in CASES if case.severity is Severity.WARNING]


def id_of(case):
    return f"{case.id}-{case.path}"


def said(values):
    return [(finding.id, finding.path, finding.severity) for finding in findings(values)]


@pytest.mark.parametrize("values", [ONE_MODEL, SERVERLESS, COMPONENTS], ids=["model", "serverless", "components"])
def test_nothing_is_said_about_a_spec_without_fault(values):
    assert findings(values) == []


@pytest.mark.parametrize("case", CASES, ids=id_of)
def test_a_rule_finds_what_breaks_it_and_no_other_does(case):
    assert said(case.broken) == [(case.id, case.path, case.severity)]


@pytest.mark.parametrize("case", CASES, ids=id_of)
def test_a_rule_finds_nothing_next_to_it(case):
    assert said(case.sound) == []


@pytest.mark.parametrize("case", CASES, ids=id_of)
def test_without_its_rule_nothing_finds_it(case, monkeypatch):
    removed = RULES[case.id]
    monkeypatch.setitem(rules._BY_CLASS, removed.on, [rule for rule in rules_for(removed.on) if rule is not removed])
    assert case.id not in {id_ for id_, _, _ in said(case.broken)}


def test_every_rule_has_a_case():
    assert {case.id for case in CASES} == set(RULES)


@pytest.mark.parametrize("case", CASES, ids=id_of)
def test_a_finding_tells_what_to_do_and_where_the_rule_comes_from(case):
    for finding in findings(case.broken):
        assert finding.message.endswith(".")
        assert finding.remedy.endswith(".")
        assert finding.source == RULES[finding.id].source


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_explains_itself(rule):
    assert re.fullmatch(r"WR[1-9]\d\d", rule.id)
    assert rule.reason.endswith(".")
    assert len(rule.source) > 10
    assert rule.id == next(id_ for id_, other in RULES.items() if other.check is rule.check)


def test_errors_hold_while_a_spec_is_built():
    with pytest.raises(InvalidSettingsError):
        EndpointSpec.parse(changed(ONE_MODEL, {"variants[0].accelerator_type": "ml.eia2.medium"}))


@pytest.mark.parametrize("case", WARNINGS, ids=id_of)
def test_a_warning_can_be_silenced_with_a_reason(case):
    spec = EndpointSpec.parse(changed(case.broken, {"silence": [{"id": case.id, "reason": "measured"}]}))
    assert case.id not in {finding.id for finding in check(spec)}
    assert case.id in {finding.id for finding in check(spec, silenced=True)}


def test_silencing_one_warning_leaves_the_others():
    broken = {"variants[0].initial_instance_count": 1, "model.vllm.enable_prefix_caching": False}
    values = changed(ONE_MODEL, {**broken, "silence": [{"id": "WR103", "reason": "a canary"}]})
    assert [finding.id for finding in findings(values)] == ["WR105"]


@pytest.mark.parametrize("id_", [rule.id for rule in RULES.values() if rule.severity is Severity.ERROR])
def test_an_error_cannot_be_silenced(id_):
    values = changed(ONE_MODEL, {"silence": [{"id": id_, "reason": "please"}]})
    assert said(values) == [("WR901", "silence[0].id", Severity.ERROR)]


@pytest.mark.parametrize("id_", ["WR001", "WR007", "WR999"])
def test_an_id_without_a_rule_cannot_be_silenced(id_):
    (finding,) = findings(changed(ONE_MODEL, {"silence": [{"id": id_, "reason": "please"}]}))
    assert finding.message == f"There is no check {id_}."


@pytest.mark.parametrize("silenced", [{"id": "WR103"}, {"id": "WR103", "reason": ""}, {"id": "103", "reason": "why"}])
def test_a_silenced_warning_needs_its_id_and_a_reason(silenced):
    (finding,) = findings(changed(ONE_MODEL, {"silence": [silenced]}))
    assert finding.path.startswith("silence[0].")


def test_findings_come_in_the_order_of_the_document():
    broken = {"variants[0].initial_instance_count": 1, "metrics_config.metric_publish_frequency_in_seconds": 10}
    spec = EndpointSpec.parse(changed(ONE_MODEL, broken))
    assert [finding.id for finding in check(spec)] == ["WR103", "WR702"]


def test_every_error_of_a_spec_is_reported():
    values = changed(ONE_MODEL, {"region": "cn-north-1", "tags": {"aws:a": "", "aws:b": ""}})
    assert [finding.path for finding in findings(values)] == ["tags.aws:a", "tags.aws:b", "model.image"]
