"""Makes the models and the configuration of a plan, or claims the ones that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account import faults
from warmroute.deploy.account.aws import PATIENCE
from warmroute.deploy.account.claims import claim, now
from warmroute.deploy.account.configurations import is_own_name
from warmroute.deploy.account.tags import lacking_tags, retag, tags_of
from warmroute.deploy.ownership import DEPLOYED_TAG, OWNER_TAG, SERVED_TAG, is_owned
from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError
from warmroute.hosting.tags import as_tag_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.planning.draft import Draft
    from warmroute.deploy.progress import Action


class MakingSteps:
    """The steps of one plan that concern models and the configuration.

    Args:
        aws: The account and region.
        draft: The plan.
        on_progress: Told of every step.
    """

    def __init__(self, aws: Aws, draft: Draft, *, on_progress: Callable[[Progress], None]) -> None:
        self._aws = aws
        self._draft = draft
        self._wanted = draft.wanted
        self._name = draft.wanted.spec.name
        self._config = draft.match.config_name
        self._on_progress = on_progress

    def make(self) -> None:
        """Make the models and the configuration, or claim those that exist, and bring tags to what stays.

        Raises:
            DeploymentError: AWS refuses.
        """
        self._make(report=True)
        self._tag_what_stays()

    def make_again(self) -> None:
        """Make what somebody else's clean-up has deleted since.

        Raises:
            DeploymentError: AWS refuses.
        """
        self._make(report=False)

    def adopt_config(self) -> bool:
        """Write on the configuration of an endpoint that is taken over whose it is, and that it was seen to serve.

        Returns:
            Whether it is to be remembered by its name, since that is not one that is given here.

        Raises:
            DeploymentError: AWS refuses.
        """
        config = self._draft.live.config
        if config is None or self._draft.live.status != "InService":
            return False
        tags = tags_of(self._aws, config["EndpointConfigArn"])
        if tags.get(OWNER_TAG, self._name).lower() != self._name.lower():
            return False  # Another endpoint's stays so.
        if SERVED_TAG not in tags:
            notes = {OWNER_TAG: self._name, SERVED_TAG: now()}
            self._aws.change("sagemaker", "add_tags", ResourceArn=config["EndpointConfigArn"], Tags=as_tag_list(notes))
        return not is_own_name(config["EndpointConfigName"], self._name)

    def note_served(self, kind: str, name: str) -> None:
        """Write on our own model or configuration when it was seen to serve, once for each deployment.

        Args:
            kind: ``model`` or ``endpoint_config``.
            name: Its name.

        Raises:
            DeploymentError: AWS refuses.
        """
        key, arn = ("ModelName", "ModelArn") if kind == "model" else ("EndpointConfigName", "EndpointConfigArn")
        described = self._aws.describe(f"describe_{kind}", **{key: name})
        tags = tags_of(self._aws, described[arn]) if described else {}
        if described is None or not is_owned(tags, self._name):
            return
        if tags.get(SERVED_TAG, "") < tags.get(DEPLOYED_TAG, "0"):
            entry = {"Key": SERVED_TAG, "Value": now()}
            self._aws.change("sagemaker", "add_tags", ResourceArn=described[arn], Tags=[entry])

    def _make(self, *, report: bool) -> None:
        for attempt in range(1, PATIENCE + 1):
            for name in self._draft.needed_models:
                self._make_once("model", "ModelName", self._wanted.models[name], report=report)
            if not self._draft.makes_config:
                return
            try:
                self._make_once("endpoint_config", "EndpointConfigName", self._wanted.config, report=report)
            except DeploymentError as error:
                if attempt == PATIENCE or not (faults.is_missing(error) and self._lacks_a_model()):
                    raise
            else:
                return

    def _lacks_a_model(self) -> bool:
        """Whether somebody else's clean-up has deleted a model meanwhile; what else is missing stays so."""
        return any(self._aws.describe("describe_model", ModelName=name) is None for name in self._draft.needed_models)

    def _make_once(self, kind: str, key: str, parameters: dict[str, Any], *, report: bool) -> None:
        """Make a model or configuration, or claim the one that exists."""
        name = parameters[key]
        action: Action = "unchanged"
        known = (self._draft.live.models if kind == "model" else self._draft.live.configs).get(name)
        existing = self._aws.describe(f"describe_{kind}", **{key: name})
        if existing is not None and report:
            arn = existing["EndpointConfigArn" if kind == "endpoint_config" else "ModelArn"]
            lacking = lacking_tags(known.tags if known else {}, parameters["Tags"])
            action = "updated" if known and lacking else "unchanged"
            if not claim(self._aws, arn, lacking):
                existing = None
        if existing is None:
            tags = [*parameters["Tags"], {"Key": DEPLOYED_TAG, "Value": now()}]
            made = self._aws.create(
                "sagemaker",
                f"create_{kind}",
                # A configuration refers to models that have just been made; a model to nothing that is made here.
                awaits_what_is_missing=kind == "endpoint_config",
                **{**parameters, "Tags": tags},
            )
            action = "created" if made else "unchanged"
        if report or action == "created":
            self._told(action, kind, name)

    def _told(self, action: Action, kind: str, name: str) -> None:
        self._on_progress(Progress(action, kind.replace("endpoint_config", "endpoint configuration"), name))

    def _tag_what_stays(self) -> None:
        """Bring the spec's tags to our own models and configuration that stay as they are."""
        live, made = self._draft.live, set(self._draft.needed_models)
        for name in dict.fromkeys(self._draft.match.models.values()):
            existing = live.models.get(name)
            if name not in made and existing:
                owned = is_owned(existing.tags, self._name)
                action = retag(self._aws, existing.described["ModelArn"], self._wanted.tags) if owned else "unchanged"
                self._on_progress(Progress(action, "model", name))
        if not self._draft.makes_config:
            existing = live.configs.get(self._config)
            owned = existing is not None and is_owned(existing.tags, self._name)
            action = (
                retag(self._aws, existing.described["EndpointConfigArn"], self._wanted.tags)
                if owned and existing
                else "unchanged"
            )
            self._on_progress(Progress(action, "endpoint configuration", self._config))
