"""One endpoint with two variants that differ in routing alone, and a dashboard that compares them."""

from pathlib import Path

from warmroute_cdk import RoutingExperiment  # isort: skip - starts Node.
from aws_cdk import App, Environment, Stack

from warmroute import RoutingConfig

app = App()
stack = Stack(app, "routing-trial", env=Environment(region="us-east-1"))
RoutingExperiment(
    stack,
    "Experiment",
    spec=Path(__file__).with_name("endpoint.yaml"),  # Its routing is that of the treatment.
    control=RoutingConfig.random(),
)

app.synth()
