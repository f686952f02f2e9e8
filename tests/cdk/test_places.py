"""Regions and accounts: of stages, of stacks, of what is watched, of what an endpoint is given."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, Aws, Environment, Stack, Stage
from aws_cdk.aws_cloudwatch import Alarm, Metric
from aws_cdk.aws_iam import Role, ServicePrincipal
from aws_cdk.aws_kms import Key
from cdk.published import widgets_of
from cdk.synthesis import resources_of, template_of
from render.specs import SPECS, WITHOUT_ROLE, demo

from warmroute import IncompleteSpecError
from warmroute_cdk import (
    BoundSpec,
    ConstructError,
    EndpointAlarms,
    EndpointDashboard,
    EndpointStack,
    VllmEndpoint,
)

SPEC = SPECS["demo"]


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
def here(app: App) -> Stack:
    return Stack(app, "Here", env=Environment(region="us-east-1"))


@pytest.fixture
def there(app: App) -> Stack:
    return Stack(app, "There", env=Environment(region="eu-west-1"))


class TestStage:
    """A stack in a stage goes where the stage does, and the spec must be for there."""

    def test_of_another_region_is_refused(self, app):
        stage = Stage(app, "Prod", env=Environment(region="eu-west-1"))
        with pytest.raises(
            IncompleteSpecError, match=r"^Prod/Bot/Endpoint: the spec is for us-east-1, and the stack for"
        ):
            EndpointStack(stage, "Bot", spec=SPEC)

    def test_of_another_account_than_the_role_s_is_refused(self, app):
        stage = Stage(app, "Prod", env=Environment(account="111122223333"))
        match = r"^Prod/Bot/Endpoint: the execution role is in account 123456789012, and the stack in 111122223333\."
        with pytest.raises(IncompleteSpecError, match=match):
            EndpointStack(stage, "Bot", spec=SPEC)

    def test_gives_its_region_to_a_spec_without_one(self, app):
        stage = Stage(app, "Prod", env=Environment(region="eu-west-1", account="123456789012"))
        stack = EndpointStack(stage, "Bot", spec=demo(region=None))
        assert (stack.region, stack.account) == ("eu-west-1", "123456789012")

    def test_without_a_region_leaves_it_to_the_spec(self, app):
        stage = Stage(app, "Prod", env=Environment(account="123456789012"))
        stack = EndpointStack(stage, "Bot", spec=SPEC)
        assert (stack.region, stack.account) == ("us-east-1", "123456789012")

    def test_around_another_stage_is_looked_at_too(self, app):
        stage = Stage(Stage(app, "Prod", env=Environment(region="eu-west-1")), "Cell")
        with pytest.raises(IncompleteSpecError, match="for eu-west-1"):
            EndpointStack(stage, "Bot", spec=SPEC)

    def test_a_stack_s_own_environment_wins(self, app):
        stage = Stage(app, "Prod", env=Environment(region="eu-west-1"))
        assert EndpointStack(stage, "Bot", spec=SPEC, env=Environment(region="us-east-1")).region == "us-east-1"


class TestStack:
    """The environment of a stack, as far as it is said."""

    @pytest.mark.parametrize("env", [None, Environment(), Environment(account="123456789012"), {"region": "us-east-1"}])
    def test_an_environment_without_a_region_takes_the_spec_s(self, app, env):
        assert EndpointStack(app, "Bot", spec=SPEC, env=env).region == "us-east-1"

    def test_what_is_known_at_deployment_only_is_accepted(self, app):
        stack = EndpointStack(app, "Bot", spec=SPEC, env=Environment(region=Aws.REGION, account=Aws.ACCOUNT_ID))
        assert len(resources_of(template_of(stack), "AWS::SageMaker::Endpoint")) == 1

    def test_a_role_construct_of_another_account_is_refused(self, app):
        stack = Stack(app, "Here", env=Environment(region="us-east-1", account="111122223333"))
        role = Role.from_role_arn(stack, "Role", "arn:aws:iam::123456789012:role/theirs")
        with pytest.raises(IncompleteSpecError, match="Here/Bot: the execution role is in account 123456789012"):
            VllmEndpoint(stack, "Bot", spec=WITHOUT_ROLE, role=role)


class TestGiven:
    """What SageMaker uses beside an endpoint is in the endpoint's region."""

    def test_a_key_of_another_region_is_refused(self, here, there):
        with pytest.raises(
            ConstructError, match=r"^Here/Bot: encryption_key is in eu-west-1, and the stack in us-east"
        ):
            VllmEndpoint(here, "Bot", spec=SPEC, encryption_key=Key(there, "Key"))

    def test_alarms_of_another_region_are_refused(self, here, there):
        metric = Metric(namespace="AWS/SageMaker", metric_name="Invocations")
        alarm = Alarm(there, "Alarm", metric=metric, threshold=1, evaluation_periods=1)
        with pytest.raises(ConstructError, match=r"^Here/Bot: a rollback alarm is in eu-west-1"):
            VllmEndpoint(here, "Bot", spec=SPEC, rollback_alarms=[alarm])
        endpoint = VllmEndpoint(here, "Other", spec=SPEC)
        with pytest.raises(ConstructError, match=r"^Here/Other: a rollback alarm is in eu-west-1"):
            endpoint.add_rollback_alarms(alarm)

    def test_a_role_of_another_region_s_stack_needs_a_name(self, app, here, there):
        principal = ServicePrincipal("sagemaker.amazonaws.com")
        with pytest.raises(ConstructError, match=r"^Here/Bot: the role There/Role is made in a stack for eu-west-1"):
            VllmEndpoint(here, "Bot", spec=SPEC, role=Role(there, "Role", assumed_by=principal))
        named = Role(there, "Named", assumed_by=principal, role_name="serving")
        BoundSpec(SPEC, "Here/Other", {"role": named}).resources(here)


class TestWatched:
    """An alarm watches its own region; a dashboard can show another."""

    @pytest.mark.parametrize("by", ["spec", "endpoint"])
    def test_alarms_in_another_region_are_refused(self, here, there, by):
        watched: dict[str, Any] = {"spec": SPEC} if by == "spec" else {"endpoint": VllmEndpoint(here, "Bot", spec=SPEC)}
        match = r"^There/Alarms: the endpoint is in us-east-1, and the stack in eu-west-1: an alarm watches"
        with pytest.raises(ConstructError, match=match):
            EndpointAlarms(there, "Alarms", **watched)

    @pytest.mark.parametrize("by", ["spec", "endpoint"])
    def test_a_dashboard_shows_the_endpoint_s_region(self, here, there, by):
        watched: dict[str, Any] = {"spec": SPEC} if by == "spec" else {"endpoint": VllmEndpoint(here, "Bot", spec=SPEC)}
        EndpointDashboard(there, "Dashboard", **watched)
        widgets = widgets_of(template_of(there))
        assert {each["properties"]["region"] for each in widgets if each["type"] == "metric"} == {"us-east-1"}
        (heading, *_) = (each["properties"]["markdown"] for each in widgets if each["type"] == "text")
        assert "https://us-east-1.console.aws.amazon.com/" in heading

    def test_a_dashboard_of_another_stack_imports_nothing(self, app, here):
        endpoint = VllmEndpoint(here, "Bot", spec=SPEC)
        beside = Stack(app, "Beside", env=Environment(region="us-east-1"))
        EndpointDashboard(beside, "Dashboard", endpoint=endpoint)
        assert "Fn::ImportValue" not in str(template_of(beside))
        assert "Outputs" not in template_of(here)

    def test_alarms_of_another_region_are_on_no_dashboard(self, here, there):
        alarms = EndpointAlarms(here, "Alarms", spec=SPEC)
        with pytest.raises(
            ConstructError, match=r"^There/Dashboard: the alarms are in us-east-1, and the dashboard in"
        ):
            EndpointDashboard(there, "Dashboard", spec=SPEC, alarms=alarms)

    def test_where_nothing_is_known_nothing_is_refused(self):
        anywhere = Stack(App(), "Anywhere")
        EndpointAlarms(anywhere, "Alarms", spec=SPEC)
        EndpointDashboard(anywhere, "Dashboard", spec=SPEC)
        widgets = [each for each in widgets_of(template_of(anywhere)) if each["type"] == "metric"]
        assert {each["properties"]["region"] for each in widgets} == {"reference"}
