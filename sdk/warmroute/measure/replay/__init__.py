"""Open-loop replay of a trace against an endpoint.

from warmroute.measure.replay import Load, NativeTarget, ReplayRun, Sending, prepare

target = NativeTarget(boto3.Session(), "support-bot")
schedule, about = prepare(["trace.jsonl"], Load(), Sending(), chat_only=target.chat_only)
replayed = ReplayRun(schedule, target, Path("replay"), about=about).run()

Each request goes out at its planned time, whatever became of those before it.
"""

from __future__ import annotations

from warmroute.measure.replay.bodies import Bodies
from warmroute.measure.replay.journal import read_rows
from warmroute.measure.replay.options import Load, Sending
from warmroute.measure.replay.planning import planned
from warmroute.measure.replay.preparing import Prepared, prepare
from warmroute.measure.replay.record import Replayed
from warmroute.measure.replay.replay import CONNECTIONS, Progress, ReplayRun
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
    "Prepared",
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
    "prepare",
    "read_rows",
]
