"""Open-loop replay of a trace against an endpoint.

::

    from warmroute.measure.replay import Bodies, Load, NativeTarget, ReplayRun, Schedule, Sending, planned

    target = NativeTarget(boto3.Session(), "support-bot")
    bodies = Bodies(Sending(), chat_only=target.chat_only)
    schedule = Schedule(planned(read_traffic("trace.jsonl", bodies="recorded_or_canonical"), Load(), bodies))
    replayed = ReplayRun(schedule, target, Path("replay")).run()
"""

from __future__ import annotations

from warmroute.measure.replay.bodies import Bodies
from warmroute.measure.replay.journal import read_rows
from warmroute.measure.replay.options import Load, Sending
from warmroute.measure.replay.planning import planned
from warmroute.measure.replay.replay import CONNECTIONS, Progress, Replayed, ReplayRun
from warmroute.measure.replay.rows import ALONE, Place
from warmroute.measure.replay.schedule import Schedule
from warmroute.measure.replay.summary import Quantiles, ReplaySummary
from warmroute.measure.replay.targets import NativeTarget, OpenAITarget, SageMakerOpenAITarget, Target
from warmroute.measure.segmenting import SegmentBy

__all__ = [
    "ALONE",
    "CONNECTIONS",
    "Bodies",
    "Load",
    "NativeTarget",
    "OpenAITarget",
    "Place",
    "Progress",
    "Quantiles",
    "ReplayRun",
    "ReplaySummary",
    "Replayed",
    "SageMakerOpenAITarget",
    "Schedule",
    "SegmentBy",
    "Sending",
    "Target",
    "planned",
    "read_rows",
]
