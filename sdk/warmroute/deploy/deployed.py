"""An endpoint that exists, by its name: how it stands, back to an earlier configuration, its end, its spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.account.aws import Aws, default_session, region_of
from warmroute.deploy.account.live import read_live
from warmroute.deploy.account.naming import refuse_unnameable
from warmroute.deploy.changing.destroy import destroy
from warmroute.deploy.changing.rollback import roll_back
from warmroute.deploy.importing.imported import Imported, import_spec
from warmroute.deploy.status import Status, status_of
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from boto3.session import Session

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.progress import Progress
    from warmroute.deploy.results import Outcome


class DeployedEndpoint:
    """An endpoint of one account and region.

    Args:
        name: Name of the endpoint.
        session: Credentials and configuration; by default boto3's default session.
        region: AWS region; by default the session's.
        poll_seconds: Longest time between two looks while something is waited for.

    Raises:
        DeploymentError: Nothing can have such a name, no region is known, or the environment's profile does not exist.
    """

    def __init__(
        self,
        name: str,
        session: Session | None = None,
        *,
        region: str | None = None,
        poll_seconds: float = 10.0,
    ) -> None:
        refuse_unnameable(name, "an endpoint")
        session = session or default_session()
        self.name = name
        self.region = region_of(None, session, region)
        self._aws = Aws(session, self.region)
        self._poll_seconds = poll_seconds

    def status(self) -> Status:
        """How the endpoint stands.

        Raises:
            DeploymentError: There is no such endpoint, or AWS cannot be asked.
        """
        return status_of(self._read(), self._aws.region)

    def rollback(
        self,
        *,
        to: str | None = None,
        wait: bool = True,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Outcome:
        """Go back to the configuration that served before, and verify that it serves.

        Counts, weights, guardrails, components and scaling stay as they are.

        Args:
            to: Name of the configuration instead.
            wait: Whether to wait until it serves.
            on_progress: Told of every step.

        Raises:
            DeploymentError: There is nothing to go back to, the endpoint is not ours or cannot be changed now, or the
                update failed.
        """
        return roll_back(
            self._aws, self.name, to=to, wait=wait, poll_seconds=self._poll_seconds, on_progress=on_progress
        )

    def destroy(self, *, on_progress: Callable[[Progress], None] = lambda _: None) -> tuple[str, ...]:
        """Delete the endpoint and everything that was made for it, and nothing of anybody else's.

        Args:
            on_progress: Told of every step.

        Returns:
            Names of what was deleted; empty where there was nothing left.

        Raises:
            DeploymentError: The endpoint or a component on it is not ours, or AWS refuses.
        """
        return destroy(self._aws, self.name, poll_seconds=self._poll_seconds, on_progress=on_progress)

    def to_spec(self) -> Imported:
        """The spec that the endpoint is as it stands: a plan on it has nothing to do.

        Raises:
            DeploymentError: There is no such endpoint, or AWS cannot be asked.
        """
        return import_spec(self._read(), self._aws.region)

    def _read(self) -> Live:
        live = read_live(self._aws, self.name)
        if live.endpoint is None:
            raise DeploymentError(
                f"There is no endpoint {self.name} in {self._aws.region}.", "Check the name and the region."
            )
        return live
