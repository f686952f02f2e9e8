"""One line of a benchmark's report."""


def line(what: str, measured: float, reference: float, goal: float) -> None:
    """Print a time beside its reference.

    Args:
        what: What was measured, and against what.
        measured: Seconds.
        reference: Seconds of the reference, measured in the same run.
        goal: The ratio not to exceed.
    """
    ratio = measured / reference
    verdict = "" if ratio <= goal else "  missed"
    print(f"{what:<44}{_time(measured):>12}{_time(reference):>12}{ratio:>8.2f}{goal:>8.2f}{verdict}")


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"
