"""A model and two LoRA adapters as inference components, which scale down to no instance."""

from pathlib import Path

from warmroute_cdk import EndpointStack  # isort: skip - starts Node.
from aws_cdk import App

app = App()
EndpointStack(app, "adapters", spec=Path(__file__).with_name("endpoint.yaml"), alarms=True, dashboard=True)

app.synth()
