"""The arms of a comparison, from their names and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.arms.cross_over import cross_over
from warmroute.arms.endpoint import EndpointArm
from warmroute.arms.found import FoundEndpoint
from warmroute.arms.local import LocalArm
from warmroute.arms.switchback import SwitchbackArm, Updates
from warmroute.deploy.account.clean_up import DEFAULT_KEEP
from warmroute.errors import WarmrouteError
from warmroute.hosting import load_spec
from warmroute.local import EngineSettings
from warmroute.loopback import local_endpoint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from warmroute.arms.naming import ArmName
    from warmroute.deploy import Progress
    from warmroute.inference_api import Api
    from warmroute.measure.experiment import Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmOptions:
    """What the arms of a comparison have in common."""

    session: Callable[[], Any]
    """Makes the boto3 session, where an arm is on SageMaker."""

    api: Api = "invoke"
    component: str | None = None
    runtime_url: str | None = None
    """Root of the runtime API, instead of the session's."""

    speed_factor: float = 1.0
    engines: EngineSettings = field(default_factory=EngineSettings)
    switchback: bool = False
    """Whether specs are applied to one endpoint on SageMaker, instead of served on this machine."""

    cross_over: bool = False
    """Whether two variants change roles."""

    adopt: bool = False
    poll_seconds: float = 10.0
    on_progress: Callable[[Progress], None] = lambda _: None


class Arms(NamedTuple):
    """The arms of a comparison, and what has to become of their endpoint afterwards."""

    arms: list[Arm]
    found: FoundEndpoint | None = None
    """The endpoint that the arms change; None where none does."""


def arms_of(names: Sequence[ArmName], options: ArmOptions, *, begun: Mapping[str, Any] | None = None) -> Arms:
    """The arms.

    Args:
        names: As they were named.
        options: What they have in common.
        begun: The manifest of the comparison that is continued.

    Raises:
        WarmrouteError: A spec cannot be read or has errors; an endpoint is not there; the arms do not go together.
    """
    check_names(names, options)
    if options.cross_over:
        crossed = cross_over(
            (names[0], names[1]),
            options.session(),
            begun=begun,
            adopt=options.adopt,
            poll_seconds=options.poll_seconds,
            on_progress=options.on_progress,
            url=options.runtime_url,
        )
        return Arms(list(crossed), crossed[0].found)
    if options.switchback:
        switched = _switchback(names, options, begun)
        return Arms(list(switched), switched[0].found)
    return Arms([_arm(name, options) for name in names])


def check_names(names: Sequence[ArmName], options: ArmOptions) -> None:
    """Refuse arms that the options do not fit, before anything is read or asked.

    Args:
        names: As they were named.
        options: What they have in common.

    Raises:
        WarmrouteError: They do not go together.
    """
    if options.cross_over and options.switchback:
        raise WarmrouteError("--cross-over and --switchback are two designs.", "Give one.")
    if options.cross_over and (len(names) != 2 or options.api != "invoke" or not all(n.variant for n in names)):
        raise WarmrouteError(
            "--cross-over is for two variants of one endpoint, with --api invoke.",
            "Name both arms as NAME=endpoint/ENDPOINT/VARIANT.",
        )
    if options.switchback and not all(name.spec for name in names):
        raise WarmrouteError("--switchback applies specs.", "Name every arm as NAME=SPEC.yaml.")
    if options.api == "openai" and any(name.variant for name in names):
        raise WarmrouteError("The OpenAI-compatible API takes no target variant.", "Use --api invoke.")


def is_on_sagemaker(names: Sequence[ArmName], options: ArmOptions) -> bool:
    """Whether arms are served beyond this machine.

    Args:
        names: As they were named.
        options: What they have in common.
    """
    if all(name.spec for name in names) and not options.switchback:
        return False
    return not local_endpoint_of(options.session())


def _switchback(names: Sequence[ArmName], options: ArmOptions, begun: Mapping[str, Any] | None) -> list[SwitchbackArm]:
    specs = {each.name: load_spec(each.spec) for each in names if each.spec}
    endpoints = {spec.name for spec in specs.values()}
    if len(endpoints) != 1:
        raise WarmrouteError(
            f"--switchback is for specs of one endpoint, and they name: {', '.join(sorted(endpoints))}.",
            "Give all specs the same name.",
        )
    session = options.session()
    found = FoundEndpoint(
        endpoints.pop(), session, begun=begun, poll_seconds=options.poll_seconds, on_progress=options.on_progress
    )
    updates = Updates(
        found=found,
        keep=max(DEFAULT_KEEP, len(specs) + 1),
        adopt=options.adopt,
        poll_seconds=options.poll_seconds,
        on_progress=options.on_progress,
    )
    return [
        SwitchbackArm(name, spec, session, updates, api=options.api, url=options.runtime_url)
        for name, spec in specs.items()
    ]


def _arm(name: ArmName, options: ArmOptions) -> Arm:
    if name.spec:
        return LocalArm(
            name.name,
            load_spec(name.spec),
            api=options.api,
            speed_factor=options.speed_factor,
            engines=options.engines,
        )
    return EndpointArm(
        name.name,
        options.session(),
        name.endpoint,
        variant=name.variant,
        api=options.api,
        component=options.component,
        url=options.runtime_url,
    )
