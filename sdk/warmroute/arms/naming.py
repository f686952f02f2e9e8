"""An arm as it is named on the command line."""

from __future__ import annotations

from dataclasses import dataclass

from warmroute.errors import WarmrouteError

_ENDPOINT = "endpoint/"


@dataclass(frozen=True, slots=True)
class ArmName:
    """``NAME=SPEC.yaml`` or ``NAME=endpoint/ENDPOINT[/VARIANT]``."""

    name: str
    spec: str = ""
    """File of a spec; empty for an endpoint that exists."""

    endpoint: str = ""
    variant: str = ""


def named(text: str) -> ArmName:
    """What an arm is, from its name on the command line.

    Raises:
        WarmrouteError: It has another form.
    """
    name, equals, what = text.partition("=")
    if not (name and equals and what):
        raise WarmrouteError(
            f"--arm {text}: not of the form NAME=….", "Use NAME=spec.yaml or NAME=endpoint/ENDPOINT[/VARIANT]."
        )
    if not what.startswith(_ENDPOINT):
        return ArmName(name, spec=what)
    endpoint, *rest = what.removeprefix(_ENDPOINT).split("/")
    if not endpoint or len(rest) > 1 or "" in rest:
        raise WarmrouteError(f"--arm {text}: names no endpoint.", "Use NAME=endpoint/ENDPOINT[/VARIANT].")
    return ArmName(name, endpoint=endpoint, variant=rest[0] if rest else "")
