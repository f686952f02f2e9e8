"""The command line, and what becomes of an error."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from warmroute.cli.group import CommandGroup
from warmroute.cli.output import print_findings
from warmroute.cli.stopping import StoppedError
from warmroute.errors import InvalidSettingsError, WarmrouteError

app = typer.Typer(
    name="warmroute",
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from warmroute import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Prefix-aware routing for LLM endpoints on Amazon SageMaker.

    Exit codes: 0 done; 1 an error, or findings; 2 wrong usage; 3 a plan with changes; 130 stopped by Ctrl-C.

    Example: warmroute doctor
    """


def run() -> None:
    """Run the command; a user's mistake ends in one message and exit code 1, Ctrl-C in one and 130."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # A character that the terminal lacks is escaped, not an error.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="warmroute")
    except InvalidSettingsError as error:
        print_findings(error.findings, error.name, to_stderr=True)
        sys.exit(1)
    except StoppedError as stopped:
        sys.stderr.write(f"{stopped}\n")
        sys.exit(130)
    except WarmrouteError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # Standard output that cannot be written; every other file has its own message.
        sys.stderr.write(f"{error.strerror or error}.\n")
        sys.exit(1)
