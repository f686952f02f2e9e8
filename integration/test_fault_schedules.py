"""Every fault schedule of a deployment, 1,000 and more; takes some minutes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def test_no_schedule_loses_anything_and_all_converge() -> None:
    command = [sys.executable, "-m", "benchmarks.deploy_faults"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent.parent, check=False)

    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
    lines = re.findall(r"^ *([\d,]+) (.+)$", ran.stdout, re.MULTILINE)
    figures = {what: int(count.replace(",", "")) for count, what in lines}
    schedules = next(count for what, count in figures.items() if what.startswith("schedules"))
    assert schedules >= 1_000
    assert figures["converged when run again"] == schedules
    assert figures["violations"] == 0
