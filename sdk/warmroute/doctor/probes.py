"""Every probe, and how they are asked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from warmroute.doctor import account, clock, engines, extras, local_endpoint, nodejs, packages, sdk
from warmroute.doctor.diagnosis import warning
from warmroute.doctor.machine import Machine
from warmroute.doctor.online import online as ask_account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.hosting import EndpointSpec

    Probe = Callable[[Machine], Iterable[Diagnosis]]

PROBES: tuple[Probe, ...] = (
    packages.python,
    packages.itself,
    packages.core,
    sdk.routing_in_botocore,
    sdk.same_release,
    extras.extras,
    account.credentials,
    account.region,
    local_endpoint.endpoint_url,
    local_endpoint.port,
    nodejs.node,
    nodejs.cdk_cli,
    engines.vllm,
    clock.clock,
)
"""Those that ask nobody beyond this machine, in the order in which they are told."""


def diagnose(
    machine: Machine | None = None, *, spec: EndpointSpec | None = None, online: bool = False
) -> Iterator[Diagnosis]:
    """Look at everything that warmroute needs of its environment; each finding comes when it is known.

    Args:
        machine: What is looked at; by default this machine and this Python environment.
        spec: A spec, for what it needs beyond.
        online: Whether to ask AWS who the credentials are and what they may look at.
    """
    machine = machine or Machine()
    probes = [partial(account.region, spec=spec) if probe is account.region else probe for probe in PROBES]
    if spec is not None:
        probes.append(partial(engines.gated_models, spec=spec))
    if online:
        probes.append(partial(ask_account, spec=spec))
    for probe in probes:
        yield from asked(probe, machine)


def asked(probe: Probe, machine: Machine) -> Iterator[Diagnosis]:
    """What a probe finds; what breaks it is a finding too, since it looks at what may be broken.

    Args:
        probe: The probe.
        machine: What it looks at.
    """
    try:
        yield from probe(machine)
    except Exception as error:  # noqa: BLE001 - of packages in any state.
        name = getattr(probe, "func", probe).__name__.replace("_", " ")
        yield warning(
            name, f"it cannot be looked at: {type(error).__name__}: {error}.", "Mend the problems that are told first."
        )
