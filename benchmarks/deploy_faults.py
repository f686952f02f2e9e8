"""Every fault schedule of a deployment: ``python -m benchmarks.deploy_faults [WORKERS]``.

Each one changes an endpoint of the local control plane while calls fail, answers are lost, reads are stale, updates are
rolled back, the process is killed, or a second one does something else at the same time. After every call it is looked
at whether the endpoint still has what it runs; afterwards, whether running again comes to the end.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deploy.faults.campaign import Figures

KINDS = {
    "killed": "killed at one of its calls",
    "random": "random faults",
    "two": "two processes in random turns",
    "between": "one process between two calls of another",
}


def run(workers: int | None = None) -> Figures:
    """Run all of them.

    Args:
        workers: Processes; by default as many as there are processors.
    """
    _find_schedules()
    from deploy.faults.campaign import Figures, figures_of, parts

    total = Figures()
    with multiprocessing.get_context("spawn").Pool(workers or os.cpu_count(), _find_schedules) as pool:
        for figures in pool.imap_unordered(figures_of, parts()):
            total.include(figures)
    return total


def show(figures: Figures) -> None:
    """Print the figures that the documentation quotes."""
    print(f"{figures.total:>7,} schedules, {figures.calls:,} API calls")
    for kind, count in figures.schedules.items():
        print(f"{count:>7,} {KINDS[kind]}")
    print(f"{figures.injected.total():>7,} faults")
    for kind, count in figures.injected.most_common():
        print(f"{count:>7,} {kind}")
    print(f"{figures.converged:>7,} converged when run again")
    print(f"{figures.violations:>7,} violations")
    print("\n".join(figures.bad))


def _find_schedules() -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


if __name__ == "__main__":
    started = time.monotonic()
    found = run(int(sys.argv[1]) if sys.argv[1:] else None)
    show(found)
    print(f"{time.monotonic() - started:>7,.0f} seconds")
    sys.exit(bool(found.bad))
