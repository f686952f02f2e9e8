"""The ``warmroute`` command: every subcommand is a thin layer over one room."""

from warmroute.cli.entry import main

__all__ = ["main"]
