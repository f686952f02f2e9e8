"""Carries a plan out: create, update, verify, clean up, in that order.

Every step can be made twice and leaves the account in a state from which the next run goes on. Names are digests of
their content, so what a stopped run has made is found again, and what two runs make is the same.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account import faults
from warmroute.deploy.account.aws import PATIENCE
from warmroute.deploy.account.clean_up import clean_up
from warmroute.deploy.account.live import config_ahead
from warmroute.deploy.account.tags import retag, tags_of
from warmroute.deploy.changing.components import ComponentSteps
from warmroute.deploy.changing.models import MakingSteps
from warmroute.deploy.changing.scaling import ScalingSteps
from warmroute.deploy.changing.waiting import wait_for_endpoint
from warmroute.deploy.ownership import ADOPTED_TAG, is_owned
from warmroute.deploy.planning.counts import capacity_changes, capacity_changes_now
from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.planning.draft import Draft
    from warmroute.deploy.results import Result


class Applying:
    """One run of one plan.

    Args:
        aws: The account and region.
        draft: The plan.
        adopt: Whether what was not made here is taken over.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every step.
    """

    def __init__(
        self,
        aws: Aws,
        draft: Draft,
        *,
        adopt: bool,
        poll_seconds: float,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._aws = aws
        self._draft = draft
        self._wanted = draft.wanted
        self._name = draft.wanted.spec.name
        self._config = draft.match.config_name
        self._adopts = adopt
        self._poll_seconds = poll_seconds
        self._on_progress = on_progress
        self._making = MakingSteps(aws, draft, on_progress=on_progress)
        self._components = ComponentSteps(aws, draft, adopt=adopt, poll_seconds=poll_seconds, on_progress=on_progress)
        self._scaling = ScalingSteps(aws, draft.wanted, on_progress=on_progress)

    def begin(self) -> Result:
        """Make what is new and point the endpoint to it; what serves goes on serving.

        Raises:
            DeploymentError: AWS refuses.
        """
        self._making.make()
        leaving = self._draft.leaving
        self._scaling.remove(leaving.targets_first)
        self._components.delete(leaving.components_first)
        return self._point_endpoint()

    def follow(self) -> None:
        """Wait until the endpoint serves what it was told to, with the instances that it shall have.

        Raises:
            DeploymentError: The endpoint failed or was rolled back.
        """
        state = self._wait()
        # Somebody else's clean-up may have deleted, between the look and the update, what is in force now.
        self._making.make_again()
        for attempt in range(PATIENCE):
            changes = capacity_changes(self._wanted, state.get("ProductionVariants", ()))
            if not changes:
                break
            time.sleep(attempt)  # What has just been changed may not be seen yet.
            self._change_capacity(changes)
            state = self._wait()
        else:
            raise DeploymentError(
                f"Counts or weights of endpoint {self._name} have been changed, and it does not show it.",
                "Does somebody else change them too? Apply again.",
            )
        self._making.note_served("endpoint_config", self._config)

    def put_components(self) -> Mapping[str, Result]:
        """Make or update each component, adapters after their bases.

        Raises:
            DeploymentError: AWS refuses, or a component failed.
        """
        results = self._components.put()
        for name in self._draft.needed_models:
            self._making.note_served("model", name)
        return results

    def put_scaling(self) -> None:
        """Register every scalable target, put every policy, and read both back.

        Raises:
            DeploymentError: AWS refuses, or does not show what was put.
        """
        self._scaling.put()

    def remove(self, keep: int) -> None:
        """Delete what has left the spec, and old configurations and models.

        Args:
            keep: How many configurations to keep.

        Raises:
            DeploymentError: AWS refuses.
        """
        leaving = self._draft.leaving
        self._scaling.remove(leaving.targets)
        self._scaling.remove_policies(leaving.policies)
        self._components.delete(leaving.components)
        clean_up(
            self._aws,
            self._name,
            needed_configs=(self._config,),
            needed_models=(*self._wanted.models, *self._draft.match.models.values()),
            keep=keep,
            on_progress=self._on_progress,
        )

    def _point_endpoint(self) -> Result:
        live = self._draft.live
        result: Result
        if live.endpoint is None:
            result = self._create_endpoint()
        elif self._draft.match.same_config:
            may_tag = live.is_owned or self._adopts
            result = self._retag_endpoint(live.endpoint) if may_tag else "unchanged"
            changes = self._capacity_changes_now()
            result = "updated" if changes else result
            if changes:
                self._change_capacity(changes)
        else:
            self._retag_endpoint(live.endpoint)
            self._update_endpoint()
            result = "updated"
        self._on_progress(Progress(result, "endpoint", self._name))
        return result

    def _retag_endpoint(self, endpoint: Mapping[str, Any]) -> Result:
        """Bring the spec's tags to the endpoint; one that is taken over can go back to what it runs."""
        live, tags = self._draft.live, self._wanted.tags
        if not live.is_owned and self._making.adopt_config():
            tags.append({"Key": ADOPTED_TAG, "Value": live.config_name})
        return retag(self._aws, endpoint["EndpointArn"], tags)

    def _create_endpoint(self) -> Result:
        for attempt in range(1, PATIENCE + 1):
            try:
                created = self._aws.create("sagemaker", "create_endpoint", **self._wanted.create)
            except DeploymentError as error:
                if attempt == PATIENCE or not faults.is_missing(error):
                    raise
                self._making.make_again()
                continue
            state = None if created else self._seen_endpoint()
            # The answer to our own call may have been lost.
            if created or (state is not None and config_ahead(state) == self._config and self._is_ours(state)):
                return "created"
            break
        raise DeploymentError(
            f"Endpoint {self._name} has just been created by somebody else.", "Apply again to follow it."
        )

    def _is_ours(self, state: Mapping[str, Any]) -> bool:
        return is_owned(tags_of(self._aws, state["EndpointArn"]), self._name)

    def _update_endpoint(self) -> None:
        for attempt in range(1, PATIENCE + 1):
            try:
                self._aws.change("sagemaker", "update_endpoint", **self._wanted.update)
            except DeploymentError as error:
                state = self._seen_endpoint()
                if state is not None and config_ahead(state) == self._config:
                    return  # The answer to our own call was lost, or another run asks for the same.
                if attempt == PATIENCE or not faults.is_missing(error):
                    raise
                self._making.make_again()
            else:
                return

    def _seen_endpoint(self) -> dict[str, Any] | None:
        """The endpoint, looked for until it is seen."""
        for attempt in range(1, PATIENCE + 1):
            state = self._aws.describe("describe_endpoint", EndpointName=self._name)
            if state is not None:
                return state
            time.sleep(attempt)
        return None

    def _capacity_changes_now(self) -> list[dict[str, Any]]:
        state = self._aws.describe("describe_endpoint", EndpointName=self._name) or {}
        return capacity_changes_now(self._wanted, state)

    def _change_capacity(self, changes: list[dict[str, Any]]) -> None:
        try:
            self._aws.change(
                "sagemaker",
                "update_endpoint_weights_and_capacities",
                EndpointName=self._name,
                DesiredWeightsAndCapacities=changes,
            )
        except DeploymentError as error:
            if not faults.is_busy(error):
                raise
        # Where the endpoint is busy, the answer to our own call was lost, or another run has begun the same.

    def _wait(self) -> dict[str, Any]:
        return wait_for_endpoint(
            self._aws,
            self._name,
            self._config,
            poll_seconds=self._poll_seconds,
            on_progress=self._on_progress,
            guardrails=self._wanted.update.get("DeploymentConfig"),
        )
