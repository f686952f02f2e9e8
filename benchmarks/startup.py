"""How long a program waits for warmroute to load, in processes of their own, alternating with the reference."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import line

RUNS = 15
BARE_TYPER_APP = """
import typer
app = typer.Typer()
@app.command()
def one(name: str) -> None: ...
@app.command()
def two(name: str) -> None: ...
app()
"""


def run() -> None:
    """Import of the package against pydantic, and the help of all commands and of one against a bare typer app."""
    imported, pydantic = _alternate(["-c", "import warmroute"], ["-c", "import pydantic"])
    line("import warmroute / import pydantic", imported, pydantic, 1.3)
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder, "bare.py")
        bare.write_text(BARE_TYPER_APP, encoding="utf-8")
        whole = _alternate(["-m", "warmroute", "--help"], [str(bare), "--help"])
        one = _alternate(["-m", "warmroute", "key", "--help"], [str(bare), "one", "--help"])
    line("warmroute --help / bare typer app --help", *whole, 2.0)
    line("warmroute key --help / bare typer app one --help", *one, 1.3)


def _alternate(first: list[str], second: list[str]) -> tuple[float, float]:
    """The shortest time of each command over several runs, taken in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(RUNS):
        for kept, command in zip(times, (first, second), strict=True):
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, capture_output=True)
            kept.append(time.perf_counter() - start)
    return min(times[0]), min(times[1])
