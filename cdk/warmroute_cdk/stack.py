"""A stack with the endpoint of one spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnOutput, Stack
from aws_cdk.aws_cloudwatch_actions import SnsAction
from aws_cdk.aws_sns import Topic

from warmroute.render.cloudformation import ARN_OUTPUT, NAME_OUTPUT, description_of
from warmroute_cdk.alarms import EndpointAlarms
from warmroute_cdk.dashboard import EndpointDashboard
from warmroute_cdk.failures import checked_construct, named, path_of
from warmroute_cdk.given import spec_of
from warmroute_cdk.place import refuse_elsewhere
from warmroute_cdk.spec_constructs import refuse_unfit
from warmroute_cdk.stack_options import divided, environment
from warmroute_cdk.vllm_endpoint import VllmEndpoint

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from aws_cdk.aws_sns import ITopic
    from constructs import Construct

    from warmroute.hosting import EndpointSpec
    from warmroute_cdk.alarm_settings import AlarmSettings
    from warmroute_cdk.stack_options import EndpointStackOptions


class EndpointStack(Stack):
    """The endpoint of a spec with everything that belongs to it.

    Args:
        scope: The app, or a stage.
        id: Name of the stack.
        spec: The spec, or the path of its file.
        alarms: Whether to make its alarms, with their defaults; or settings of theirs, see ``AlarmSettings``.
        dashboard: Whether to make its dashboard.
        alarm_topic: What the alarms tell, a topic or its ARN. Default: nobody.
        roll_back_on_alarms: Whether errors roll an update back: the alarms' ``rollback_alarms``, at most ten.
        scale_from_zero: Whether components that scale to zero copies get a policy that starts one on demand.
        options: Options of ``aws_cdk.Stack``, and constructs in the place of fields of the spec.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
        IncompleteSpecError: The region of an image is not known, or the spec's is not the stack's.
        UnsupportedByTargetError: The spec uses what CloudFormation does not know yet.
        ConstructError: The id is no name of a stack, or an option is not known or does not fit.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: EndpointSpec | str | Path,
        alarms: bool | AlarmSettings = False,
        dashboard: bool = False,
        alarm_topic: ITopic | str | None = None,
        roll_back_on_alarms: bool = False,
        scale_from_zero: bool = True,
        **options: Unpack[EndpointStackOptions],
    ) -> None:
        path = path_of(scope.node.path, id)
        document = spec_of(spec, path)
        with named(path):
            of_stack, constructs = divided(options)
            refuse_unfit(constructs)
        of_stack["env"] = environment(of_stack.get("env"), scope, document.region)
        of_stack["description"] = of_stack.get("description") or description_of(document)
        super().__init__(scope, id, **of_stack)
        # The alarms come first: they name the endpoint as text, and it refers to them.
        settings: AlarmSettings = alarms if isinstance(alarms, dict) else {}
        wanted = alarms or isinstance(alarms, dict) or alarm_topic or roll_back_on_alarms
        self.alarms = self._alarms(document, alarm_topic, settings) if wanted else None
        if self.alarms and roll_back_on_alarms:
            constructs["rollback_alarms"] = [*(constructs.get("rollback_alarms") or ()), *self.alarms.rollback_alarms]
        self.endpoint = VllmEndpoint(self, "Endpoint", spec=document, scale_from_zero=scale_from_zero, **constructs)
        self.dashboard = (
            EndpointDashboard(self, "Dashboard", endpoint=self.endpoint, alarms=self.alarms) if dashboard else None
        )
        # Not exported: another stack that imports a name keeps this one from changing it.
        CfnOutput(self, "EndpointName", value=self.endpoint.endpoint_name, description=NAME_OUTPUT)
        CfnOutput(self, "EndpointArn", value=self.endpoint.endpoint_arn, description=ARN_OUTPUT)

    def _alarms(self, spec: EndpointSpec, topic: ITopic | str | None, settings: AlarmSettings) -> EndpointAlarms:
        if topic is None:
            reason = "The stack was made without alarm_topic: its alarms are looked at, and roll updates back."
            settings = {"no_actions_reason": reason, **settings}
        else:
            told = Topic.from_topic_arn(self, "AlarmTopic", topic) if isinstance(topic, str) else topic
            with named(self.node.path):
                refuse_elsewhere("alarm_topic", told, self, "An alarm tells topics of its own region only.")
            settings = {**settings, "alarm_actions": [SnsAction(told), *settings.get("alarm_actions", ())]}
        return EndpointAlarms(self, "Alarms", spec=spec, **settings)
