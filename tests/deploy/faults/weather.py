"""Faults at random points of a schedule, and the end of the process at a given one."""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from deploy.faults.world import KilledError

if TYPE_CHECKING:
    from collections.abc import Callable

    from deploy.faults.world import Answer, Call

_URL = "https://api.sagemaker.us-east-1.amazonaws.com"

KINDS = (
    "throttled",
    "fault of AWS before the effect",
    "fault of AWS after the effect",
    "connection refused",
    "connection timed out",
    "connection reset before the effect",
    "connection reset after the effect",
    "answer timed out after the effect",
)
"""Faults that a call may meet. A read may also be stale."""

MAX_BURST = 5
"""Calls in a row that one fault hits; the retries of botocore are calls too."""

MAX_STALE_SECONDS = 4.0
"""How long after a change a read may not see it yet."""


class RandomWeather:
    """Faults with a fixed seed.

    Args:
        seed: Of the schedule.
        rate: Share of the calls at which a fault begins.
        stale: Share of the reads that do not see a change of the last seconds.
        begins: Calls before the first fault; most of the calls are questions that come before any change.
        most: Faults after which the weather stays calm.
        now: Seconds of the account's clock.
    """

    def __init__(
        self, seed: int, *, rate: float, stale: float, begins: int, most: int, now: Callable[[], float]
    ) -> None:
        self._random = random.Random(seed)
        self._rate = rate
        self._stale = stale
        self._calm = begins
        self._left = most
        self._now = now
        self._kind, self._burst = "", 0
        self._seen: dict[tuple[str, bytes], deque[tuple[float, Answer]]] = {}
        self.injected: Counter[str] = Counter()
        """Faults by kind."""

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        kind = self._next()
        if kind:
            self.injected[kind] += 1
            return _fail(kind, perform)
        answer = perform()
        return self._seen_late(call, answer) if call.is_question else answer

    def _next(self) -> str:
        if self._calm:
            self._calm -= 1
        elif self._burst:
            self._burst -= 1
        elif self._left and self._random.random() < self._rate:
            self._left -= 1
            self._kind = self._random.choice(KINDS)
            self._burst = self._random.randrange(MAX_BURST)
        else:
            self._kind = ""
        return self._kind

    def _seen_late(self, call: Call, answer: Answer) -> Answer:
        """The answer to a question, or the one that it had before a recent change."""
        seen = self._seen.setdefault((call.operation, call.body), deque(maxlen=4))
        seen.append((self._now(), answer))
        if self._random.random() < self._stale:
            for when, before in reversed(seen):
                if before[2] != answer[2] and self._now() - when <= MAX_STALE_SECONDS:
                    self.injected["stale read"] += 1
                    return before
        return answer


class Killing:
    """The process ends at one call.

    Args:
        at: Which call of the process, from 1.
        after_effect: Whether the call still takes effect.
    """

    def __init__(self, at: int, *, after_effect: bool) -> None:
        self._at, self._after_effect = at, after_effect
        self._count = 0
        self.killed = False
        self.was_question = False
        """Whether the call changes nothing, so that it makes no difference when exactly the process ends."""

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        if self.killed:  # Clean-up code of a process that is gone reaches nobody.
            raise KilledError
        self._count += 1
        if self._count < self._at:
            return perform()
        self.killed, self.was_question = True, call.is_question
        if self._after_effect:
            perform()
        raise KilledError


def _fail(kind: str, perform: Callable[[], Answer]) -> Answer:
    if "after the effect" in kind:
        perform()
    match kind:
        case "throttled":
            return _refusal(400, "ThrottlingException", "Rate exceeded")
        case "fault of AWS before the effect" | "fault of AWS after the effect":
            return _refusal(500, "InternalFailure", "We encountered an internal error. Please try again.")
        case "connection refused":
            raise EndpointConnectionError(endpoint_url=_URL)
        case "connection timed out":
            raise ConnectTimeoutError(endpoint_url=_URL)
        case "answer timed out after the effect":
            raise ReadTimeoutError(endpoint_url=_URL)
    raise ConnectionClosedError(endpoint_url=_URL)


def _refusal(status: int, code: str, message: str) -> Answer:
    body: Any = json.dumps({"__type": code, "message": message})
    return status, {"Content-Type": "application/x-amz-json-1.1", "x-amzn-errortype": code}, body
