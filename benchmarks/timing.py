"""How long calls take on a machine that others use too."""

import time
from collections.abc import Callable


def seconds_each(*functions: Callable[[], object], runs: int = 7, calls: int = 20) -> list[float]:
    """CPU seconds of one call of each function: the best of several runs, taken in turn under the same load.

    Args:
        functions: What to call.
        runs: How often each has its turn.
        calls: Calls in one turn.
    """
    best = [float("inf")] * len(functions)
    for _ in range(runs):
        for position, function in enumerate(functions):
            start = time.process_time()
            for _ in range(calls):
                function()
            best[position] = min(best[position], (time.process_time() - start) / calls)
    return best
