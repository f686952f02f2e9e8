"""One line of a simulation's report: a figure beside the published one."""


def band(what: str, measured: float, reference: str, low: float, high: float, *, form: str = ".2f") -> bool:
    """Print a simulated figure beside its reference.

    Args:
        what: What was simulated.
        measured: The figure.
        reference: The published figure or band.
        low: The least that agrees with it.
        high: The most that agrees with it.
        form: How to write the figure.

    Returns:
        Whether it agrees.
    """
    agrees = low <= measured <= high
    print(f"{what:<44}{format(measured, form):>12}{reference:>14}{'' if agrees else '  missed'}")
    return agrees
