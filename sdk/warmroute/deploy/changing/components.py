"""Makes, updates and deletes the inference components of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account import faults
from warmroute.deploy.account.aws import PATIENCE
from warmroute.deploy.account.tags import retag, tags_of
from warmroute.deploy.changing.waiting import wait_for_component, wait_until_gone
from warmroute.deploy.ownership import is_owned
from warmroute.deploy.planning.component_updates import component_update
from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.planning.draft import Draft
    from warmroute.deploy.results import Result

KIND = "inference component"


class ComponentSteps:
    """The steps of one plan that concern components.

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
        self._adopts = adopt
        self._poll_seconds = poll_seconds
        self._on_progress = on_progress

    def put(self) -> Mapping[str, Result]:
        """Make or update each component of the spec and wait until it serves, adapters after their bases.

        Raises:
            DeploymentError: AWS refuses, or a component failed.
        """
        replaced = self._draft.leaving.replaced
        again = [name for name in reversed(list(self._wanted.components)) if name in replaced]
        self.delete([*self._draft.leaving.orphans, *again])
        return {name: self._put(name, parameters) for name, parameters in self._wanted.components.items()}

    def delete(self, names: Iterable[str]) -> None:
        """Delete components one after the other, and wait until each is gone.

        Args:
            names: Adapters before their bases.

        Raises:
            DeploymentError: AWS refuses.
        """
        delete_components(self._aws, names, poll_seconds=self._poll_seconds, on_progress=self._on_progress)

    def _put(self, name: str, parameters: dict[str, Any]) -> Result:
        running = self._aws.describe("describe_inference_component", InferenceComponentName=name)
        if running is not None and running["InferenceComponentStatus"] == "Deleting":
            self._await_end(name)
            running = None
        result: Result = "created"
        if running is None:
            if not self._aws.create("sagemaker", "create_inference_component", **parameters):
                self._refuse_elsewhere(name)
        else:
            result = self._retag(running, parameters)
        state = self._wait(name)
        if running is not None and self._update(name, parameters, state):
            result = "updated"
        self._on_progress(Progress(result, KIND, name))
        return result

    def _update(self, name: str, parameters: dict[str, Any], state: dict[str, Any]) -> bool:
        """Update a component that serves until nothing differs; whether anything did."""
        for attempt in range(1, PATIENCE + 1):
            update = component_update(self._wanted, parameters, state, self._draft.match.models)
            if update is None:
                return attempt > 1
            if attempt == PATIENCE:
                break
            try:
                self._aws.change("sagemaker", "update_inference_component", **update)
            except DeploymentError as error:
                if not faults.is_busy(error):  # Busy with our own update, whose answer was lost, or another run's.
                    raise
            state = self._wait(name)
        raise DeploymentError(
            f"Inference component {name} has been updated, and does not show it.",
            "It was rolled back, or somebody else changes it too; apply again.",
        )

    def _refuse_elsewhere(self, name: str) -> None:
        state = self._aws.describe("describe_inference_component", InferenceComponentName=name)
        if state is not None and state["EndpointName"].lower() != self._wanted.spec.name.lower():
            raise DeploymentError(
                f"Inference component {name} has just been created on endpoint {state['EndpointName']}.",
                "Names of components are unique in an account and region: give this one another name.",
            )

    def _retag(self, running: Mapping[str, Any], parameters: Mapping[str, Any]) -> Result:
        arn = running["InferenceComponentArn"]
        present = tags_of(self._aws, arn)
        may_tag = self._adopts or is_owned(present, self._wanted.spec.name)
        return retag(self._aws, arn, parameters["Tags"], present=present) if may_tag else "unchanged"

    def _await_end(self, name: str) -> None:
        wait_until_gone(
            self._aws,
            "describe_inference_component",
            {"InferenceComponentName": name},
            KIND,
            poll_seconds=self._poll_seconds,
            on_progress=self._on_progress,
        )

    def _wait(self, name: str) -> dict[str, Any]:
        component = next(each for each in self._wanted.spec.inference_components or () if each.name == name)
        return wait_for_component(
            self._aws,
            name,
            poll_seconds=self._poll_seconds,
            on_progress=self._on_progress,
            guardrails=component.deployment_config.to_aws() if component.deployment_config else None,
        )


def delete_components(
    aws: Aws, names: Iterable[str], *, poll_seconds: float, on_progress: Callable[[Progress], None]
) -> None:
    """Delete components one after the other, and wait until each is gone.

    Args:
        aws: The account and region.
        names: Adapters before their bases.
        poll_seconds: Longest time between two looks.
        on_progress: Told of every step.

    Raises:
        DeploymentError: AWS refuses, or a component cannot be deleted.
    """
    for name in names:
        named = {"InferenceComponentName": name}
        try:
            aws.delete("sagemaker", "delete_inference_component", **named)
        except DeploymentError as error:
            if not faults.is_busy(error):
                raise
            _delete_when_settled(aws, name, poll_seconds=poll_seconds, on_progress=on_progress)
        wait_until_gone(
            aws, "describe_inference_component", named, KIND, poll_seconds=poll_seconds, on_progress=on_progress
        )
        on_progress(Progress("deleted", KIND, name))


def _delete_when_settled(aws: Aws, name: str, *, poll_seconds: float, on_progress: Callable[[Progress], None]) -> None:
    """Delete a component that is in the middle of a change, which may be its deletion."""
    state = aws.describe("describe_inference_component", InferenceComponentName=name)
    if state is None or state["InferenceComponentStatus"] == "Deleting":
        return
    try:
        wait_for_component(aws, name, poll_seconds=poll_seconds, on_progress=on_progress)
    except DeploymentError:
        state = aws.describe("describe_inference_component", InferenceComponentName=name)
        if state is not None and state["InferenceComponentStatus"] != "Failed":
            raise
    aws.delete("sagemaker", "delete_inference_component", InferenceComponentName=name)
