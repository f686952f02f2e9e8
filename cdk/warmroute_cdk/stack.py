"""A stack with the endpoint of one spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_cdk import CfnOutput, Environment, Stack
from aws_cdk.aws_cloudwatch_actions import SnsAction
from aws_cdk.aws_sns import Topic

from warmroute.render.cloudformation import ARN_OUTPUT, NAME_OUTPUT, description_of
from warmroute_cdk.alarms import EndpointAlarms
from warmroute_cdk.dashboard import EndpointDashboard
from warmroute_cdk.failures import path_of
from warmroute_cdk.given import spec_of
from warmroute_cdk.vllm_endpoint import VllmEndpoint

if TYPE_CHECKING:
    from pathlib import Path

    from aws_cdk.aws_sns import ITopic
    from constructs import Construct

    from warmroute.hosting import EndpointSpec
    from warmroute_cdk.bound import SpecConstructs


class EndpointStack(Stack):
    """The endpoint of a spec with everything that belongs to it.

    Args:
        scope: The app, or a stage.
        id: Name of the stack.
        spec: The spec, or the path of its file.
        alarms: Whether to make its alarms, with their defaults; ``EndpointAlarms`` has settings for each.
        dashboard: Whether to make its dashboard.
        alarm_topic: What the alarms tell, a topic or its ARN. Default: nobody.
        roll_back_on_alarms: Whether errors roll an update back: the alarms' ``rollback_alarms``, at most ten.
        options: Options of ``aws_cdk.Stack``. Without ``env`` the stack is for the spec's region; where the spec names
            no region, the stack's is used.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
        IncompleteSpecError: The region of an image is not known, or the spec's is not the stack's.
        UnsupportedByTargetError: The spec uses what CloudFormation does not know yet.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: EndpointSpec | str | Path,
        alarms: bool = False,
        dashboard: bool = False,
        alarm_topic: ITopic | str | None = None,
        roll_back_on_alarms: bool = False,
        **options: Any,
    ) -> None:
        document = spec_of(spec, path_of(scope.node.path, id))
        if document.region:
            options.setdefault("env", Environment(region=document.region))
        options.setdefault("description", description_of(document))
        super().__init__(scope, id, **options)
        # The alarms come first: they name the endpoint as text, and it refers to them.
        self.alarms = self._alarms(document, alarm_topic) if alarms or alarm_topic or roll_back_on_alarms else None
        given: SpecConstructs = (
            {"rollback_alarms": self.alarms.rollback_alarms} if self.alarms and roll_back_on_alarms else {}
        )
        self.endpoint = VllmEndpoint(self, "Endpoint", spec=document, **given)
        self.dashboard = (
            EndpointDashboard(self, "Dashboard", endpoint=self.endpoint, alarms=self.alarms) if dashboard else None
        )
        # Not exported: another stack that imports a name keeps this one from changing it.
        CfnOutput(self, "EndpointName", value=self.endpoint.endpoint_name, description=NAME_OUTPUT)
        CfnOutput(self, "EndpointArn", value=self.endpoint.endpoint_arn, description=ARN_OUTPUT)

    def _alarms(self, spec: EndpointSpec, topic: ITopic | str | None) -> EndpointAlarms:
        if topic is None:
            reason = "The stack was made without alarm_topic: its alarms are looked at, and roll updates back."
            return EndpointAlarms(self, "Alarms", spec=spec, no_actions_reason=reason)
        told = Topic.from_topic_arn(self, "AlarmTopic", topic) if isinstance(topic, str) else topic
        return EndpointAlarms(self, "Alarms", spec=spec, alarm_actions=[SnsAction(told)])
