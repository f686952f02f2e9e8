"""The stack of a spec with its alarms and dashboard, as the app's context asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from aws_cdk import App
from cdk.synthesis import lint, resources_of, template_of
from render.specs import DEMO

from warmroute import IncompleteSpecError
from warmroute_cdk.app import add_stack

if TYPE_CHECKING:
    from pathlib import Path

TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "endpoint.yaml"
    path.write_text(DEMO, encoding="utf-8")
    return str(path)


def template(**context: Any) -> dict[str, Any]:
    return template_of(add_stack(App(context=context)))


def test_everything_at_once(spec):
    made = template(spec=spec, dashboard="true", alarm_topic=TOPIC, roll_back_on_alarms=True)
    alarms = resources_of(made, "AWS::CloudWatch::Alarm")
    assert len(alarms) == 8
    assert all(each["Properties"]["AlarmActions"] == [TOPIC] for each in alarms)
    assert len(resources_of(made, "AWS::CloudWatch::Dashboard")) == 1
    (endpoint,) = resources_of(made, "AWS::SageMaker::Endpoint")
    assert len(endpoint["Properties"]["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"]) == 3
    assert lint(made) == []


def test_nothing_that_is_not_asked_for(spec):
    made = template(spec=spec, alarms="false")
    assert not [name for name in made["Resources"] if "Alarm" in name or "Dashboard" in name]


def test_alarms_alone_tell_nobody(spec):
    alarms = resources_of(template(spec=spec, alarms="true"), "AWS::CloudWatch::Alarm")
    assert alarms
    assert not any("AlarmActions" in each["Properties"] for each in alarms)


def test_a_misspelt_key_is_refused_and_those_of_others_are_not(spec):
    with pytest.raises(IncompleteSpecError, match=r"There is no context alarm\. Give -c alarms=…\."):
        template(spec=spec, alarm="true")
    assert template(spec=spec, stage="alarming", **{"@aws-cdk/core:enablePartitionLiterals": True})


def test_what_is_neither_yes_nor_no_is_refused(spec):
    with pytest.raises(IncompleteSpecError, match="alarms: 'maybe' is neither true nor false"):
        template(spec=spec, alarms="maybe")
