"""The ``warmroute`` command: every subcommand is a thin layer over one room."""

from warmroute.cli.app import main

__all__ = ["main"]
