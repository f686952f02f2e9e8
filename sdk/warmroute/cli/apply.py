"""``warmroute apply``: make the account match a spec."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.deploying import PollOption, YesOption, can_ask, can_be_stopped, shown
from warmroute.cli.documents import read_spec
from warmroute.cli.output import Format, FormatOption, SpecArgument, print_findings, print_json
from warmroute.cli.plan import AdoptOption, KeepOption, PreflightOption, PricesOption, exit_code, show_plan

if TYPE_CHECKING:
    from warmroute.deploy import Outcome, Plan


def apply(  # noqa: PLR0913, PLR0917 - one parameter for each option.
    spec: SpecArgument,
    wait: Annotated[
        bool, typer.Option(help="Wait until the endpoint serves; components and scaling are put in place only then.")
    ] = True,
    poll: PollOption = 10.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and stop, as `warmroute plan`.")] = False,
    yes: YesOption = False,
    keep: KeepOption = 3,
    adopt: AdoptOption = False,
    preflight: PreflightOption = True,
    prices: PricesOption = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Create or update the endpoint of a spec, wait until it serves, and clean up.

    On a terminal the plan is shown first and a question asked; in a script nothing is asked. Credentials are boto3's,
    and so is the region where the spec names none. AWS_ENDPOINT_URL reaches the local endpoint instead of AWS.

    Example: warmroute apply endpoint.yaml
    """
    from warmroute.deploy import Deployment, load_prices

    deployment = Deployment(read_spec(spec), poll_seconds=poll)
    table = load_prices(prices)
    expected = None
    asks = can_ask() and not yes and format is Format.TEXT
    if asks or dry_run:
        expected = deployment.plan(keep=keep, adopt=adopt, preflight=preflight, prices=table)
        show_plan(expected, spec, format)
        if dry_run:
            raise typer.Exit(exit_code(expected))
        expected.refuse_errors()
        if not expected.is_empty:
            typer.confirm("Apply?", abort=True)

    def warn(found: Plan) -> None:
        if expected is None:  # Otherwise the plan has been shown with its findings.
            print_findings(found.findings, spec, to_stderr=True)

    carry_out = partial(
        deployment.apply,
        wait=wait,
        keep=keep,
        adopt=adopt,
        preflight=preflight and expected is None,
        expected=expected,
        on_plan=warn,
    )
    if format is Format.JSON:
        with can_be_stopped():
            outcome = carry_out()
        print_json(asdict(outcome))
        return
    with shown() as show:
        outcome = carry_out(on_progress=show)
    _print_outcome(outcome)


def _print_outcome(outcome: Outcome) -> None:
    for name, result in outcome.components.items():
        typer.echo(f"{name}: {result}")
    if outcome.left_over:
        typer.echo(f"Not in the spec, not warmroute's, and left alone: {', '.join(outcome.left_over)}.")
    if outcome.left_out:
        typer.echo(f"Not looked at without waiting: {', '.join(outcome.left_out)}. Apply again to put them in place.")
    typer.echo(f"{outcome.endpoint}: {outcome.result}, configuration {outcome.endpoint_config}, {outcome.region}")
