"""One endpoint, alarms that mail someone and roll bad updates back, and a dashboard."""

from pathlib import Path

from warmroute_cdk import EndpointAlarms, EndpointDashboard, LatencyAlarm, VllmEndpoint  # isort: skip - starts Node.
from aws_cdk import App, Duration, Environment, Stack
from aws_cdk.aws_cloudwatch_actions import SnsAction
from aws_cdk.aws_kms import Alias
from aws_cdk.aws_sns import Topic
from aws_cdk.aws_sns_subscriptions import EmailSubscription

from warmroute import load_spec

app = App()
stack = Stack(app, "support-bot", env=Environment(region="us-east-1"))

spec = load_spec(Path(__file__).with_name("endpoint.yaml"))

topic = Topic(stack, "Alarms", master_key=Alias.from_alias_name(stack, "Key", "alias/alarms"), enforce_ssl=True)
if email := app.node.try_get_context("email"):
    topic.add_subscription(EmailSubscription(email))
alarms = EndpointAlarms(
    stack,
    "EndpointAlarms",
    spec=spec,
    latency=LatencyAlarm(threshold=Duration.seconds(2), statistic="p90"),
    alarm_actions=[SnsAction(topic)],
)
endpoint = VllmEndpoint(stack, "Endpoint", spec=spec, rollback_alarms=alarms.rollback_alarms)
EndpointDashboard(stack, "Dashboard", endpoint=endpoint, alarms=alarms)

app.synth()
