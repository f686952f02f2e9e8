"""The class that a locustfile derives from."""

from __future__ import annotations

from typing import Any

import gevent
from locust import User, events, task
from locust.runners import WorkerRunner

from warmroute.errors import WarmrouteError
from warmroute.measure.load.master import Master
from warmroute.measure.load.settings import ReplaySettings
from warmroute.measure.load.worker import Worker


class ReplayUser(ReplaySettings, User):
    """A replay under Locust; derive one class from it.

    Its workers send the trace, each its own sessions. Locust counts one user for each, and ends the test after the last
    answer; its numbers of users, spawn rate and run time have no say. Its table has the time to first token, from the
    planned time.
    """

    abstract = True

    @task
    def watch(self) -> None:
        """Wait: the worker sends, whatever number of users Locust has."""
        gevent.sleep(0.5)


@events.init.add_listener  # type: ignore[untyped-decorator]
def _join_locust(environment: Any, **_: object) -> None:
    """Take part in a test whose locustfile has a replay.

    Raises:
        WarmrouteError: It has more than that.
    """
    replays = [each for each in environment.user_classes if issubclass(each, ReplayUser)]
    if not replays:
        return
    if len(environment.user_classes) > 1:
        raise WarmrouteError("A test has one replay and no other users.", "Name the class on Locust's command line.")
    (user,) = replays
    if not isinstance(environment.runner, WorkerRunner):
        environment.shape_class = Master(environment, user)
        environment.shape_class.runner = environment.runner
    if not hasattr(environment.runner, "clients"):
        Worker(environment, user)
