"""The picture of the README: times to first token of the real engines under both routings.

Run: ``python -m benchmarks.vllm_plot build/vllm-routing docs/time-to-first-token.svg``, after ``make bench-vllm``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median

import matplotlib as mpl
from matplotlib.figure import Figure

from warmroute.measure.replay import read_rows

ARMS = {"random": ("RANDOM", "#8a8f98"), "prefix-aware": ("PREFIX_AWARE", "#e4572e")}
_INK = "#30343b"


def main(comparison: Path, picture: Path) -> None:
    """Draw the waits of all valid runs, the cold beginning of each left out."""
    waits = {arm: _steady_waits(comparison, arm) for arm in ARMS}
    mpl.rcParams |= {"font.family": "sans-serif", "svg.fonttype": "path", "svg.hashsalt": "warmroute"}
    figure = Figure(figsize=(7.2, 3.4), facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    for arm, (name, colour) in ARMS.items():
        seconds = waits[arm]
        shares = [100 * (place + 1) / len(seconds) for place in range(len(seconds))]
        axes.step(seconds, shares, where="post", color=colour, linewidth=2.2)
        middle = median(seconds)
        axes.plot([middle], [50], "o", color=colour, markersize=7, markeredgecolor="white")
        axes.annotate(
            f"{name}\nP50 {_words(middle)}", (middle, 50), (10, -4), textcoords="offset points", color=colour, va="top"
        )
    axes.set_xscale("log")
    axes.set_xlabel("time to first token, seconds", color=_INK)
    axes.set_ylabel("% of requests answered by then", color=_INK)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_ylim(0, 101)
    axes.grid(visible=True, color="#e6e8eb", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=_INK)
    figure.savefig(picture, metadata={"Date": None})
    print(f"{picture}: " + ", ".join(f"{arm} {len(seconds)} requests" for arm, seconds in waits.items()))


def _steady_waits(comparison: Path, arm: str) -> list[float]:
    waits: list[float] = []
    for told in sorted(comparison.glob(f"runs/*-{arm}/outcome.json")):
        run = json.loads(told.read_text("utf-8"))
        if run["problems"] or run["is_noise"]:
            continue
        cold = max((window["to_seconds"] for window in run["windows"]), default=0.0)
        waits += [row.ttft_seconds for row in read_rows(told.parent) if row.planned_seconds >= cold]
    if not waits:
        sys.exit(f"{comparison} has no valid run of {arm}.")
    return sorted(waits)


def _words(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
