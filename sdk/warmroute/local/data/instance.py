"""An instance, or one component copy: an engine, and the requests that it was given."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from warmroute.local.data.latency import LatencyHistogram
from warmroute.local.engines import EngineStartError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.engines import Engine, Engines


class Failure(StrEnum):
    """Why a request that was given to an instance has no whole answer."""

    CONTAINER_4XX = "container_4xx"
    """The container answered with a client's error."""
    CONTAINER_5XX = "container_5xx"
    """The container answered with an error of its own."""
    NO_ANSWER = "no_answer"
    """The container did not answer."""
    TIMEOUT = "timeout"
    """It did not answer in time."""
    STREAM_BROKEN = "stream_broken"
    """Its answer ended before it was whole."""
    CLIENT_GONE = "client_gone"
    """The client went away first."""


class Instance:
    """What routing chooses from.

    Args:
        id: Its name, which stays the same as long as it lives.
        engine: What serves on it.
    """

    def __init__(self, id: str, engine: Engine) -> None:  # noqa: A002
        self.id = id
        self.engine = engine
        self.in_flight = 0
        """Requests that it was given and has not finished; what routing counts."""
        self.requests = 0
        """Requests that it was ever given."""
        self.overflows = 0
        """Those of them that routing sent away from the home of their prefix."""
        self.sent_away = 0
        """Requests whose prefix lives here and that routing sent to another instance."""
        self.failures: Counter[Failure] = Counter()
        self.ttft = LatencyHistogram()
        """From the choice of the instance to the first part of each answer that streams."""


class InstanceGroup:
    """The instances of one variant, or the copies of one component, from the moment at which they start.

    Args:
        prefix: Beginning of their names.
        environment: Variables of their container.
        engines: Where their engines come from.
    """

    def __init__(self, prefix: str, environment: Mapping[str, str], engines: Engines) -> None:
        self.instances: list[Instance] = []
        self._prefix = prefix
        self._environment = environment
        self._engines = engines
        self._prepared = 0
        self._in_service: tuple[Instance, ...] = ()

    @property
    def in_service(self) -> tuple[Instance, ...]:
        """Those that can serve now; the same tuple until that changes."""
        now = tuple(instance for instance in self.instances if _serves(instance))
        if now != self._in_service:
            self._in_service = now
        return self._in_service

    def is_ready(self) -> bool:
        """Whether every one of them serves.

        Raises:
            EngineStartError: One never will.
        """
        return all([instance.engine.in_service for instance in self.instances])  # noqa: C419 - each may refuse.

    def prepare(self, count: int) -> None:
        """Start what is lacking of so many instances, as far as there are engines; they stay until they are in force.

        Args:
            count: How many there shall be.
        """
        self._prepared = count
        most = self._engines.most
        for number in range(len(self.instances), count if most is None else min(count, most)):
            id_ = f"{self._prefix}-{number}"
            self.instances.append(Instance(id_, self._engines.start(id_, number, self._environment)))

    def resize(self, count: int) -> None:
        """Start or drop instances, since so many are in force; those that stay keep their caches."""
        prepared = self._prepared if self._prepared != count else 0
        self.prepare(count)
        self._prepared = prepared
        kept = max(count, prepared)
        for instance in self.instances[kept:]:
            instance.engine.release()
        del self.instances[kept:]

    def give_up(self) -> None:
        """What was prepared will not be in force."""
        self._prepared = 0


def _serves(instance: Instance) -> bool:
    try:
        return instance.engine.in_service
    except EngineStartError:
        return False
