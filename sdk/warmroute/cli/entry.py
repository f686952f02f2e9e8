"""Where the command begins: nothing is imported before Ctrl-C has its answer."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; a user's mistake or Ctrl-C ends in one message, never in a traceback."""
    try:
        from warmroute.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
