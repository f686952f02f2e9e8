"""Replay from many machines: Locust starts, stops and shows it, and its workers send the trace between them.

A locustfile names the trace and the target; ``locust --master`` and ``locust --worker`` do the rest:

    from boto3.session import Session
    from warmroute.measure.load import Load, NativeTarget, ReplayUser

    class SupportBot(ReplayUser):
        trace = "trace.jsonl"
        load = Load(speed=2)

        @classmethod
        def target(cls):
            return NativeTarget(Session(), "support-bot")

Every worker plans the whole trace and sends its own sessions, as ``warmroute replay`` does: at their times, whatever
became of the requests before. The master chooses the start and keeps the record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.errors import MissingExtraError
from warmroute.measure.load.settings import ReplaySettings
from warmroute.measure.replay import Load, NativeTarget, OpenAITarget, SageMakerOpenAITarget, Sending

if TYPE_CHECKING:
    from warmroute.measure.load.user import ReplayUser

__all__ = ["Load", "NativeTarget", "OpenAITarget", "ReplaySettings", "ReplayUser", "SageMakerOpenAITarget", "Sending"]


def __getattr__(name: str) -> Any:
    """Load the class when it is asked for: importing Locust replaces the blocking parts of the standard library.

    Raises:
        MissingExtraError: Locust is not installed.
    """
    if name != "ReplayUser":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from warmroute.measure.load.user import ReplayUser
    except ModuleNotFoundError as error:
        if error.name not in {"gevent", "locust"}:
            raise
        raise MissingExtraError("Replay from many machines", "load") from None
    return ReplayUser
