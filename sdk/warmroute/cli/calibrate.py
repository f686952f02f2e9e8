"""``warmroute calibrate``: an engine profile from a live server."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer


def calibrate(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Base of an OpenAI-compatible API: http://localhost:8000/v1.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the profile, as YAML.")
    ] = Path("profile.yaml"),
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model to ask for; otherwise the first that is listed.")
    ] = None,
    api_key: Annotated[
        str, typer.Option(metavar="KEY", envvar="WARMROUTE_API_KEY", help="Sent as a bearer token.", show_default=False)
    ] = "none",
    header: Annotated[
        list[str] | None, typer.Option(metavar="NAME:VALUE", help="A further header; repeat it for more.")
    ] = None,
    minutes: Annotated[
        float, typer.Option(metavar="N", help="About how long to measure, 0.05 to 60.", min=0.05, max=60)
    ] = 3.0,
    max_prompt_tokens: Annotated[
        int, typer.Option(metavar="N", help="Tokens of the longest prompt, 512 to 1,000,000.", min=512, max=1_000_000)
    ] = 8_000,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the prompts; the same seed sends the same.")] = 0,
) -> None:
    """Fit an engine profile for the simulator to a live server, which must have nothing else to do meanwhile.

    The server is asked for answers to random words: some minutes of its time, and what those tokens cost.

    Example: warmroute calibrate http://localhost:8000/v1 --minutes 3 -o profile.yaml
    """
    from warmroute.errors import WarmrouteError
    from warmroute.fleet.calibration import Limits, OpenAiServer
    from warmroute.fleet.calibration import calibrate as fitted

    _refuse_other_file(output)
    limits = Limits(seconds=60 * minutes, max_prompt_tokens=max_prompt_tokens, seed=seed)
    with OpenAiServer(url, model=model, api_key=api_key, headers=_headers(header or [])) as server:
        calibration = fitted(server, limits, on_step=lambda step: typer.echo(f"- {step}"))
    source = f"{url}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, --max-prompt-tokens {max_prompt_tokens} --seed {seed}"
    try:
        output.write_text(calibration.as_yaml(source=source), encoding="utf-8")
    except OSError as error:
        raise WarmrouteError(
            f"{output} cannot be written: {error.strerror}.", "Give another file with --output."
        ) from None
    typer.echo("\n".join(calibration.report()))
    typer.echo(f"Wrote {output}.")


def _refuse_other_file(output: Path) -> None:
    """Before minutes are spent: replace nothing but a profile, in a folder that is there."""
    from warmroute.errors import WarmrouteError
    from warmroute.fleet import load_profile

    if output.is_dir() or not output.absolute().parent.is_dir():
        raise WarmrouteError(f"{output} cannot be written.", "Give a file in a folder that exists with --output.")
    if output.is_file() and output.stat().st_size:
        try:
            load_profile(output)
        except WarmrouteError:
            raise WarmrouteError(
                f"{output} exists, and is no engine profile.", "Give another file with --output."
            ) from None


def _headers(pairs: list[str]) -> dict[str, str]:
    headers = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon or not name.strip():
            raise typer.BadParameter("A header is NAME:VALUE.", param_hint="--header")
        headers[name.strip()] = value.strip()
    return headers
