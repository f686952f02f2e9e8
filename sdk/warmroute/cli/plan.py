"""``warmroute plan``: what an apply would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.documents import read_spec
from warmroute.cli.output import Format, FormatOption, SpecArgument, print_json

if TYPE_CHECKING:
    from warmroute.deploy import Plan

KeepOption = Annotated[
    int, typer.Option(help="Configurations to keep, the one that serves among them.", min=1, max=100)
]
AdoptOption = Annotated[bool, typer.Option("--adopt", help="Take over an endpoint that warmroute did not make.")]
PreflightOption = Annotated[
    bool, typer.Option(help="Ask the account first for quotas, roles, images, artefacts and alarms.")
]
PricesOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="A table of prices, YAML or JSON, instead of warmroute's own.")
]


def plan(
    spec: SpecArgument,
    keep: KeepOption = 3,
    adopt: AdoptOption = False,
    preflight: PreflightOption = True,
    prices: PricesOption = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Show what an apply would change, what that means for the traffic, and what it costs; change nothing.

    Exit code 0: nothing to do. 3: there are changes. 1: an error, or a finding that would stop an apply.

    Example: warmroute plan endpoint.yaml
    """
    from warmroute.deploy import Deployment, load_prices

    deployment = Deployment(read_spec(spec))
    made = deployment.plan(keep=keep, adopt=adopt, preflight=preflight, prices=load_prices(prices))
    show_plan(made, spec, format)
    raise typer.Exit(exit_code(made))


def show_plan(made: Plan, name: str, format: Format) -> None:  # noqa: A002
    """Print a plan in the form that was asked for.

    Args:
        made: The plan.
        name: What the spec is called.
        format: Text or JSON.
    """
    from warmroute.cli.plan_text import print_plan

    if format is Format.JSON:
        print_json(made.as_dict())
    else:
        print_plan(made, name)


def exit_code(made: Plan) -> int:
    """0 for nothing to do, 3 for changes, 1 for what would stop an apply."""
    if made.errors:
        return 1
    return 0 if made.is_empty else 3
