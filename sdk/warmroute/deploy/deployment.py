"""Plans and carries out the way of one spec to one account and region."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from warmroute.deploy.account.aws import Aws, default_session, region_of
from warmroute.deploy.account.clean_up import DEFAULT_KEEP, superfluous
from warmroute.deploy.account.live import read_live
from warmroute.deploy.changing.applying import Applying
from warmroute.deploy.planning.draft import draft
from warmroute.deploy.planning.leaving import beside_others
from warmroute.deploy.planning.matching import match
from warmroute.deploy.preflight.preflight import preflight as preflight_findings
from warmroute.deploy.prices import hourly_cost
from warmroute.deploy.progress import noting_deletions
from warmroute.deploy.results import Outcome
from warmroute.deploy.wanted import wanted_by
from warmroute.errors import DeploymentError, IncompleteSpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from boto3.session import Session

    from warmroute.deploy.plan import Plan
    from warmroute.deploy.planning.draft import Draft
    from warmroute.deploy.prices import Prices
    from warmroute.deploy.progress import Progress
    from warmroute.hosting import EndpointSpec

MAX_POLL_SECONDS = 3_600
MAX_KEEP = 100


class Deployment:
    """One spec on its way to one account and region.

    Applying it twice changes nothing the second time. State is in AWS alone: the names of models and configurations
    are a digest of their content, and a tag says whose they are; so a run that was stopped is continued by the next.

    Args:
        spec: What to deploy.
        session: Credentials and configuration; by default boto3's default session.
        poll_seconds: Longest time between two looks at the endpoint while it is waited for; the first ones follow
            each other faster.

    Raises:
        IncompleteSpecError: The spec is a description that does not name its endpoint.
        DeploymentError: Neither spec nor session names a region, or the environment's profile does not exist.
    """

    def __init__(self, spec: EndpointSpec, session: Session | None = None, *, poll_seconds: float = 10.0) -> None:
        if not 0 < poll_seconds <= MAX_POLL_SECONDS:
            raise DeploymentError(
                f"poll_seconds is {poll_seconds}, so the endpoint would not be looked at.",
                f"Use a number above 0, up to {MAX_POLL_SECONDS:,}.",
            )
        if not spec.name_is_known:
            raise IncompleteSpecError(
                "name: the document is a configuration's description, which does not say whose endpoint it is.",
                "Add EndpointName with the endpoint's name.",
            )
        session = session or default_session()
        self._spec = spec
        self._region = region_of(spec, session)
        self._session = session
        self._aws = Aws(session, self._region)
        self._poll_seconds = poll_seconds

    def plan(
        self,
        *,
        keep: int = DEFAULT_KEEP,
        adopt: bool = False,
        preflight: bool = True,
        prices: Prices | None = None,
    ) -> Plan:
        """What an apply would change; nothing is changed.

        Args:
            keep: Configurations to keep, the one that serves among them.
            adopt: Whether an endpoint that was not made by warmroute is taken over.
            preflight: Whether to ask the account for quotas, roles, images, artefacts and alarms.
            prices: What instances cost, for an estimate; ``warmroute.deploy.load_prices()`` reads a table.

        Raises:
            DeploymentError: AWS cannot be asked.
            IncompleteSpecError: The spec lacks a role or a region that this needs.
        """
        plan = self._draft(keep=keep, adopt=adopt, preflight=preflight).plan
        return replace(plan, cost=hourly_cost(plan.instances, self._region, prices)) if prices else plan

    def apply(
        self,
        *,
        on_progress: Callable[[Progress], None] = lambda _: None,
        wait: bool = True,
        keep: int = DEFAULT_KEEP,
        adopt: bool = False,
        preflight: bool = True,
        expected: Plan | None = None,
        on_plan: Callable[[Plan], None] = lambda _: None,
    ) -> Outcome:
        """Make the account match the spec: create, update, verify, clean up, in that order.

        Args:
            on_progress: Told of every step.
            wait: Whether to wait until the endpoint serves. Components, scaling and removals need a serving endpoint,
                so without waiting they are left out, and named in the outcome.
            keep: Configurations to keep, the one that serves among them; one in use is never deleted.
            adopt: Whether an endpoint that was not made by warmroute is taken over.
            preflight: Whether to ask the account first for quotas, roles, images, artefacts and alarms.
            expected: A plan that has been looked at; where the account has changed since, nothing is done.
            on_plan: Told of the plan that is about to be carried out; nothing is changed where it raises.

        Raises:
            DeploymentError: AWS refuses, the endpoint is not in a state that can be changed or not ours, or the change
                failed or was rolled back. What serves keeps serving.
            IncompleteSpecError: The spec lacks a role or a region that this needs.
        """
        drafted = self._draft(keep=keep, adopt=adopt, preflight=preflight)
        drafted.plan.refuse_errors()
        if expected is not None and drafted.plan.changes != expected.changes:
            raise DeploymentError(
                f"Endpoint {self._spec.name} has changed since the plan was made.", "Look at a new plan."
            )
        on_plan(drafted.plan)
        removed: list[str] = []
        told = noting_deletions(on_progress, removed)
        run = Applying(self._aws, drafted, adopt=adopt, poll_seconds=self._poll_seconds, on_progress=told)
        result = run.begin()
        wanted, config = drafted.wanted, drafted.match.config_name
        if not wait:
            policies = (each.policy["PolicyName"] for each in wanted.scaling if each.policy)
            targets = (each.target["ResourceId"] for each in wanted.scaling)
            leaves = (*drafted.leaving.orphans, *drafted.leaving.components)
            left_out = (*wanted.components, *targets, *policies, *leaves)
            return Outcome(self._spec.name, result, config, self._region, left_out=left_out, removed=tuple(removed))
        run.follow()
        components = run.put_components()
        run.put_scaling()
        run.remove(keep)
        return Outcome(
            self._spec.name,
            result,
            config,
            self._region,
            components,
            left_over=drafted.leaving.left_alone,
            removed=tuple(removed),
        )

    def _draft(self, *, keep: int, adopt: bool, preflight: bool) -> Draft:
        if not 1 <= keep <= MAX_KEEP:
            raise DeploymentError(
                f"keep is {keep}: the configuration that serves is always kept.", f"Use 1 to {MAX_KEEP}."
            )
        wanted = wanted_by(self._spec, self._region)
        live = read_live(self._aws, self._spec.name, wanted)
        wanted = beside_others(wanted, live)
        found = match(wanted, live)
        clean_up = superfluous(
            self._aws,
            self._spec.name,
            live.configurations,
            needed_configs=(found.config_name,),
            needed_models=(*wanted.models, *found.models.values()),
            keep=keep,
        )
        drafted = draft(wanted, live, found, clean_up, adopt=adopt)
        if not preflight:
            return drafted
        plan = drafted.plan
        asked = preflight_findings(self._spec, self._session, self._region, peak=plan.instances)
        return replace(drafted, plan=replace(plan, findings=(*plan.findings, *asked)))
