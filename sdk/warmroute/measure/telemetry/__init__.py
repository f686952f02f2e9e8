"""What the servers themselves counted during a run: beside the client's figures, and never in place of them."""

from warmroute.measure.telemetry.choosing import observer_of
from warmroute.measure.telemetry.cloudwatch import CloudWatchObserver
from warmroute.measure.telemetry.expected import ExpectedHits, nothing_counted
from warmroute.measure.telemetry.joined import JoinedObserver
from warmroute.measure.telemetry.local_endpoint import local_fleet, local_observer
from warmroute.measure.telemetry.observer import Observer
from warmroute.measure.telemetry.promql import PromqlObserver
from warmroute.measure.telemetry.promql_api import PromqlApi
from warmroute.measure.telemetry.run_telemetry import Overflow, OverflowBasis, Point, RunTelemetry, ServerTtft
from warmroute.measure.telemetry.sampling import INTERVAL_SECONDS
from warmroute.measure.telemetry.vllm import vllm_observer

__all__ = [
    "INTERVAL_SECONDS",
    "CloudWatchObserver",
    "ExpectedHits",
    "JoinedObserver",
    "Observer",
    "Overflow",
    "OverflowBasis",
    "Point",
    "PromqlApi",
    "PromqlObserver",
    "RunTelemetry",
    "ServerTtft",
    "local_fleet",
    "local_observer",
    "nothing_counted",
    "observer_of",
    "vllm_observer",
]
