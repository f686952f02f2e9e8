"""Probes of what the extra cdk needs: Node.js and the CDK's command line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from warmroute.doctor.diagnosis import ok, problem, warning
from warmroute.doctor.extras import is_installed
from warmroute.node import bundled_node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine

OLDEST_NODE = 20
"""The oldest line of Node.js that the CDK's libraries start on without a complaint."""


def node(machine: Machine) -> Iterator[Diagnosis]:
    """The Node.js that the CDK's libraries start: that of JSII_NODE, the one of the extra, or of the search path."""
    if not is_installed(machine, "cdk"):
        return
    named = machine.environment.get("JSII_NODE")
    program = named or bundled_node() or shutil.which("node", path=machine.environment.get("PATH"))
    remedy = "Unset JSII_NODE." if named else "Run: pip install 'warmroute[cdk]'"
    if program is None:
        yield problem("Node.js", "there is none, and the CDK's libraries run on it.", remedy)
        return
    ran = machine.run(program, "--version")
    version = re.match(r"v(\d+)", ran.out) if ran and not ran.code else None
    if ran is None or version is None:
        yield problem("Node.js", f"{program} cannot be run.", remedy)
    elif int(version[1]) < OLDEST_NODE:
        yield problem("Node.js", f"{program} is {ran.last_line}; the CDK needs {OLDEST_NODE} or newer.", remedy)
    else:
        yield ok("Node.js", f"{ran.last_line}, {program}.")


def cdk_cli(machine: Machine) -> Iterator[Diagnosis]:
    """The command that deploys apps of the CDK: on the search path, or of npm in this folder."""
    if not is_installed(machine, "cdk"):
        return
    own = Path("node_modules", ".bin", "cdk")
    program = shutil.which("cdk", path=machine.environment.get("PATH")) or (str(own) if own.exists() else None)
    if program is None:
        yield warning(
            "CDK CLI",
            "there is none, and cdk deploy needs it.",
            "Run: npm install -g aws-cdk, or make cdk in a checkout.",
        )
        return
    ran = machine.run(program, "--version")
    if ran is None or ran.code:
        said = f": {ran.last_line}" if ran else ""
        yield problem("CDK CLI", f"{program} cannot be run{said}.", "Install it again: npm install -g aws-cdk")
    else:
        yield ok("CDK CLI", f"{ran.last_line}, {program}.")
