"""Where the command begins: nothing is imported before Ctrl-C has its answer."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; a user's mistake or Ctrl-C ends in one message, never in a traceback."""
    try:
        from warmroute.cli.app import run

        run()
    except ImportError as error:  # Commands import what they need when they begin.
        sys.stderr.write(_explained(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


def _explained(error: ImportError) -> str:
    """Why a command cannot even start: a package that it always needs is missing, or too old."""
    lines = [f"warmroute cannot start: {error}."]
    try:
        from warmroute.doctor.diagnosis import Status
        from warmroute.doctor.machine import Machine
        from warmroute.doctor.packages import core, python

        machine = Machine()
        found = (*python(machine), *core(machine))
        lines += [str(each) for each in found if each.status is not Status.OK]
    except ImportError:
        lines.append("Run: pip install --force-reinstall warmroute")
    return "\n".join(lines) + "\n"
