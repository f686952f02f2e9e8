"""From arms and a trace to a verdict: which runs there are, in which order, and what they come to."""

from __future__ import annotations

from warmroute.measure.experiment.arms import Arm, EndpointState, Served
from warmroute.measure.experiment.design import Design
from warmroute.measure.experiment.manifest import manifest
from warmroute.measure.experiment.plan import Plan, plan
from warmroute.measure.experiment.runner import Experiment
from warmroute.measure.experiment.serving import PolledServing, Sample, Serving
from warmroute.measure.experiment.setup import Hooks, Replay, Replaying, Schedules, Setup, Turn, over_network
from warmroute.measure.experiment.trace import TraceSchedules

__all__ = [
    "Arm",
    "Design",
    "EndpointState",
    "Experiment",
    "Hooks",
    "Plan",
    "PolledServing",
    "Replay",
    "Replaying",
    "Sample",
    "Schedules",
    "Served",
    "Serving",
    "Setup",
    "TraceSchedules",
    "Turn",
    "manifest",
    "over_network",
    "plan",
]
