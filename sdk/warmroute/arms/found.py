"""An endpoint that a comparison changes, and the configuration that it gets back at the end."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.deploy import DeployedEndpoint
from warmroute.deploy.account.aws import Aws, region_of
from warmroute.deploy.account.live import config_ahead
from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from warmroute.deploy import Progress

_IN_PROGRESS = {"Creating", "Updating", "SystemUpdating", "RollingBack"}


def begun_arms(begun: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """What the manifest of a comparison that is continued tells of its arms; whatever else it is, nothing.

    Args:
        begun: The manifest; None for a new comparison.
    """
    arms = (begun or {}).get("arms")
    return [arm for arm in arms if isinstance(arm, dict)] if isinstance(arms, list) else []


class PutBack(NamedTuple):
    """What became of an endpoint at the end of a comparison."""

    done: bool
    """Whether it is as it was found, as far as that is possible."""

    sentence: str
    """What a reader has to know; empty for nothing."""


class FoundEndpoint:
    """An endpoint, as it was before a comparison changed it.

    Args:
        endpoint: Its name.
        session: The boto3 session.
        begun: The manifest of the comparison that is continued, which tells what it had then.
        poll_seconds: Longest time between two looks while something is waited for.
        on_progress: Told of every step of an update.

    Raises:
        DeploymentError: No region is known.
    """

    def __init__(
        self,
        endpoint: str,
        session: Any,
        *,
        begun: Mapping[str, Any] | None = None,
        poll_seconds: float = 10.0,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._endpoint, self._poll_seconds, self._on_progress = endpoint, poll_seconds, on_progress
        self._session, self._aws = session, Aws(session, region_of(None, session))
        self._begun = begun
        self.changed = False
        """Whether something was applied to it since."""

    def about_to_change(self) -> None:
        """Something is about to be applied to it: what it has now, or had when the comparison began, is noted.

        Raises:
            WarmrouteError: It cannot be asked.
        """
        _ = self.configuration
        self.changed = True

    @cached_property
    def configuration(self) -> str:
        """The configuration that it had, or was about to have, at the first look; empty where there was no endpoint.

        Raises:
            WarmrouteError: It cannot be asked.
        """
        told = (arm.get("found_configuration") for arm in begun_arms(self._begun))
        earlier = [name for name in told if isinstance(name, str)]
        return earlier[0] if earlier else self._running()

    def put_back(self, applied: Collection[str]) -> PutBack:
        """Give it its configuration again, and wait until it serves; what somebody else changed since stays.

        Args:
            applied: ARNs of the configurations that runs of the comparison had.
        """
        again = ""
        try:
            again = f"`warmroute rollback {self._endpoint} --to {self.configuration}` puts it back."
            return self._put_back({arn.rpartition("/")[2].casefold() for arn in applied})
        except WarmrouteError as error:
            return PutBack(
                done=False, sentence=f"Endpoint {self._endpoint} could not be put back: {error.message} {again}"
            )
        except KeyboardInterrupt:
            return PutBack(done=False, sentence=f"Endpoint {self._endpoint} was not waited for. {again}")

    def _put_back(self, applied: Collection[str]) -> PutBack:
        running = self._running()
        is_ours = self.changed or running.casefold() in applied
        if not running or not is_ours or running == self.configuration:
            return PutBack(done=True, sentence="")
        if not self.configuration:
            created = f"There was no endpoint {self._endpoint} before: `warmroute destroy {self._endpoint}` deletes it."
            return PutBack(done=True, sentence=created)
        while self._status() in _IN_PROGRESS:
            time.sleep(self._poll_seconds)
        deployed = DeployedEndpoint(self._endpoint, self._session, poll_seconds=self._poll_seconds)
        deployed.rollback(to=self.configuration, on_progress=self._on_progress)
        return PutBack(
            done=True, sentence=f"Endpoint {self._endpoint} has the configuration {self.configuration} again."
        )

    def _running(self) -> str:
        found = self._aws.describe("describe_endpoint", EndpointName=self._endpoint)
        return config_ahead(found) if found else ""

    def _status(self) -> str:
        found = self._aws.describe("describe_endpoint", EndpointName=self._endpoint)
        return str(found["EndpointStatus"]) if found else ""
