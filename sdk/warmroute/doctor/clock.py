"""The probe of the clock: AWS refuses signatures and bearer tokens of another time."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from warmroute.doctor.diagnosis import ok, problem, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine

_SET = "Set it: sudo timedatectl set-ntp true"
_DAY = 86_400.0


def clock(machine: Machine) -> Iterator[Diagnosis]:
    """Whether the clock can be right, as far as this machine knows by itself; ``--online`` asks AWS."""
    said = f"{datetime.fromtimestamp(machine.now, UTC):%Y-%m-%d %H:%M} UTC"
    installed = Path(__file__).stat().st_mtime
    if machine.now < installed - _DAY:
        yield problem("clock", f"it says {said}, before warmroute was installed: AWS would refuse every call.", _SET)
        return
    program = shutil.which("timedatectl", path=machine.environment.get("PATH"))
    ran = machine.run(program, "show", "--property=NTPSynchronized", "--value") if program else None
    if ran is not None and ran.out.strip() == "no":
        yield warning(
            "clock", f"{said}; nothing keeps it right, and AWS refuses calls of five minutes before or after.", _SET
        )
    else:
        yield ok("clock", f"{said}.")
