"""``warmroute demo``: two routing strategies on one fleet, measured on this machine."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.completing import engine_kinds
from warmroute.cli.output import Format, FormatOption, can_redraw, is_terminal, print_json
from warmroute.errors import LocalEndpointError
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_REQUESTS = "Requests to send under each strategy, 2 to 10,000; 144, or 48 on vLLM."


def demo(
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Recorded chat requests to send instead of the generated conversations."),
    ] = None,
    requests: Annotated[int | None, typer.Option(metavar="N", help=_REQUESTS, min=2, max=10_000)] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="N", help="Requests a second, 0.1 to 200; 8, or 0.5.", min=0.1, max=200)
    ] = None,
    prefix_length: Annotated[int, typer.Option(metavar="N", help="PrefixLength, in bytes of the body.")] = 4096,
    concurrency_threshold: Annotated[
        int, typer.Option(metavar="N", help="ConcurrencyThreshold, in requests in flight.")
    ] = 16,
    engine: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="simulated; or vllm: two real servers on the CPU, after make vllm.",
            autocompletion=engine_kinds,
        ),
    ] = "simulated",
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Serve AWS's benchmark fleet on this machine and compare RANDOM with PREFIX_AWARE on real requests.

    Seven simulated ml.p5.48xlarge with Llama 3.1 70B; boto3, the deployment, the routing and the times are real.
    With --engine vllm, two real vLLM servers with a tiny model.

    Example: warmroute demo --trace gpt-4o-airline.json --prefix-length 8192
    """
    from warmroute.demo import (
        example_spec,
        generated_requests,
        in_small,
        real_vllm,
        recorded_requests,
        report_notes,
        report_rows,
        run_demo,
        vllm_engines,
    )
    from warmroute.demo.conversations import HANDBOOK_CHARACTERS
    from warmroute.hosting import check
    from warmroute.routing import PrefixAwareRoutingConfig

    settings = PrefixAwareRoutingConfig(prefix_length=prefix_length, concurrency_threshold=concurrency_threshold)
    real = _is_real(engine)
    count = requests or (real_vllm.REQUESTS if real else 144)
    length = real_vllm.HANDBOOK_CHARACTERS if real else HANDBOOK_CHARACTERS
    chosen = recorded_requests(trace, count) if trace else generated_requests(count, handbook_characters=length)
    spec = in_small(example_spec()) if real else example_spec()
    quiet = format is Format.JSON
    with _steps(len(chosen), quiet=quiet) as (say, count_answers):
        say(f"validate {spec.name}: {counted(len(check(spec)), 'finding')}")
        summaries = run_demo(
            spec,
            chosen,
            settings=settings,
            requests_per_second=rate or (real_vllm.REQUESTS_PER_SECOND if real else 8.0),
            engines=vllm_engines() if real else None,
            on_step=say,
            on_answer=count_answers,
        )
    if quiet:
        print_json({name: asdict(summary) for name, summary in summaries.items()})
    else:
        typer.echo("")
        served = "real vLLM servers on this machine's CPU" if real else ""
        _print_table(report_rows(summaries), list(summaries))
        typer.echo("\n" + "\n".join(report_notes(summaries, spec, settings, instances=served)))


def _is_real(engine: str) -> bool:
    from warmroute.local import EngineKind, engine_kind

    kind = engine_kind(engine)
    if kind is EngineKind.URL:
        raise LocalEndpointError("--engine url: the demo starts its own servers.", "Use simulated or vllm.")
    return kind is EngineKind.VLLM


@contextmanager
def _steps(total: int, *, quiet: bool) -> Iterator[tuple[Callable[[str], None], Callable[[int], None]]]:
    """What begins, and on a terminal a bar of the answers."""
    if quiet:
        yield lambda _: None, lambda _: None
    elif can_redraw():
        from rich.progress import Progress

        with Progress(transient=True) as bar:
            task = bar.add_task("", total=total, visible=False)

            def say(step: str) -> None:
                bar.console.print(f"[bold]•[/bold] {step}", highlight=False)
                bar.reset(task, total=total, visible=step.startswith("send"), description="answers")

            yield say, lambda count: bar.update(task, completed=count)
    else:
        quarters = {-(-total * quarter // 4) for quarter in (1, 2, 3)}

        def count(answers: int) -> None:
            if answers in quarters:
                typer.echo(f"  {answers} of {total} answered")

        yield lambda step: typer.echo(f"- {step}"), count


def _print_table(rows: list[tuple[str, ...]], strategies: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in strategies:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if is_terminal() else 160, highlight=False).print(table)
