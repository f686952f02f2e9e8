"""A trace replayed by Locust: one process, or a master and workers on many machines.

The endpoint, region and trace are those of the environment, so that the same file goes to every machine.
"""

import os

from boto3.session import Session

from warmroute.measure.load import Load, NativeTarget, ReplayUser
from warmroute.measure.replay import Target


class SupportBot(ReplayUser):
    """The recorded day of the support bot, at its own times; twice as fast with SPEED=2."""

    trace = os.environ.get("TRACE", "trace.jsonl")
    load = Load(speed=float(os.environ.get("SPEED", "1")))
    folder = os.environ.get("FOLDER", "load")

    @classmethod
    def target(cls) -> Target:
        session = Session(region_name=os.environ.get("AWS_REGION", "us-east-1"))
        return NativeTarget(session, os.environ.get("ENDPOINT_NAME", "support-bot"))
