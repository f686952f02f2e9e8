"""The constants of a cost model, from measured times: robust least squares that allow no constant below zero."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from warmroute.errors import MissingExtraError
from warmroute.fleet.calibration.answers import CalibrationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.fleet.calibration.probe import DecodeStep, FirstToken, Measurements

NAMES = (
    "request_seconds",
    "floor_seconds",
    "base_seconds",
    "seconds_per_token",
    "seconds_per_decode_kv_token",
    "seconds_per_prefill_pair",
)
"""What is fitted: `CostModel`'s fields, with its ``scale`` and ``attention_seconds`` in them."""


@dataclass(frozen=True, slots=True)
class Constant:
    """One fitted constant."""

    value: float
    standard_error: float
    """What chance makes of it; infinite when nothing measured depends on it."""

    identified: bool
    """Whether it is fitted; otherwise zero and twice its value would fit as well, and it is as near to the default as
    what was measured allows."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Constants, and how well they tell what was measured."""

    constants: Mapping[str, Constant]
    residuals: Mapping[str, tuple[int, float, float]]
    """For new prompts, repeated prompts and decoding: how many times there are, and the median and the 90th
    percentile of how far the fitted ones are off, as parts of the measured ones."""


def fit(measured: Measurements, defaults: Mapping[str, float], max_num_batched_tokens: int) -> Fit:
    """Fit the constants to what was measured.

    Args:
        measured: What was measured.
        defaults: For each of `NAMES` the value that it keeps when the measurements do not tell it, as far as they
            allow it.
        max_num_batched_tokens: Tokens that a step computes at most; longer prompts take several steps.

    Raises:
        CalibrationError: Too little was measured.
        MissingExtraError: numpy is not installed.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("warmroute calibrate", "analysis") from error
    if len(measured.first_tokens) < 4 or not measured.decode_steps:
        raise CalibrationError(
            f"{len(measured.first_tokens)} first tokens and {len(measured.decode_steps)} runs of decoding are too few.",
            "Give the calibration more minutes, and the server nothing else to do.",
        )
    return _Fitting(np, measured, defaults, max_num_batched_tokens).run()


_ROUNDS = 20
_KNEES = 32
_SURE = 2.0
"""Standard errors that a constant must be above zero."""


class _Fitting:
    def __init__(
        self, np: Any, measured: Measurements, defaults: Mapping[str, float], max_num_batched_tokens: int
    ) -> None:
        self._np = np
        self._defaults = np.array([defaults[name] for name in NAMES])
        """Of those that are not fitted."""
        self._batch = max_num_batched_tokens
        self._first_tokens: Sequence[FirstToken] = measured.first_tokens
        self._decode_steps: Sequence[DecodeStep] = measured.decode_steps
        self._seconds = np.array(
            [each.seconds for each in measured.first_tokens] + [each.seconds for each in measured.decode_steps]
        )
        # Where the matrices leave their floor is tried at every size of a step that was measured.
        sizes = {min(each.new_tokens, max_num_batched_tokens) for each in measured.first_tokens}
        ordered = sorted(sizes | {each.sequences for each in measured.decode_steps})
        self._knees = ordered[:: max(1, len(ordered) // _KNEES)]

    def run(self) -> Fit:
        free = list(range(len(NAMES)))
        while True:
            values, errors, rows = self._solve(free)
            unsure = [i for i in free if values[i] <= _SURE * errors[i]]
            if not unsure:
                break
            least_sure = max(unsure, key=lambda i: errors[i] / (values[i] or 1e-300))
            free.remove(least_sure)
            # The default is of another model and machine, and may be far above all that fits.
            most = values[least_sure] + _SURE * errors[least_sure]
            self._defaults[least_sure] = min(self._defaults[least_sure], most)
        off = self._np.abs(rows @ values - self._seconds) / self._seconds
        new = self._np.array(
            [not each.cached_tokens for each in self._first_tokens] + [False] * len(self._decode_steps)
        )
        decoding = self._np.arange(len(off)) >= len(self._first_tokens)
        kinds = {"new prompts": new, "repeated prompts": ~new & ~decoding, "decoding": decoding}
        return Fit(
            {name: Constant(float(values[i]), float(errors[i]), i in free) for i, name in enumerate(NAMES)},
            {name: self._spread(off[which]) for name, which in kinds.items() if which.any()},
        )

    def _spread(self, off: Any) -> tuple[int, float, float]:
        return len(off), float(self._np.median(off)), float(self._np.quantile(off, 0.9))

    def _solve(self, free: list[int]) -> tuple[Any, Any, Any]:
        """Values and standard errors of all constants, of which only some are free, and the rows that they were for."""
        tried = [self._solve_for(knee, free) for knee in self._knees]
        return min(tried, key=lambda each: each[0])[1:]

    def _solve_for(self, knee: float, free: list[int]) -> tuple[float, Any, Any, Any]:
        """The same for matrices that take their floor up to so many tokens, led by what is left unexplained."""
        np = self._np
        rows = self._rows(knee) / self._seconds[:, None]  # Errors count as parts of the time: long times vary more.
        fixed = [i for i in range(len(NAMES)) if i not in free]
        target = 1 - rows[:, fixed] @ self._defaults[fixed]
        weights = np.ones(len(target))
        values = self._defaults.copy()
        for _ in range(_ROUNDS):
            before = values.copy()
            values[free] = self._non_negative(rows[:, free] * weights[:, None], target * weights)
            off = np.abs(rows @ values - 1)
            usual = max(1.4826 * float(np.median(off)), 1e-9)
            weights = np.sqrt(np.minimum(1.0, 1.345 * usual / np.maximum(off, 1e-12)))  # Huber's.
            if np.allclose(before, values, rtol=1e-6, atol=0.0):
                break
        errors = self._errors(rows[:, free] * weights[:, None], off * weights, free)
        return float(off.sum()), values, errors, rows * self._seconds[:, None]

    def _errors(self, rows: Any, off: Any, free: list[int]) -> Any:
        np = self._np
        errors = np.full(len(NAMES), np.inf)
        lengths = np.sqrt((rows**2).sum(axis=0))
        seen = lengths > 0
        variance = float((off**2).sum()) / max(1, len(off) - len(free))
        inverse = np.linalg.pinv((rows[:, seen] / lengths[seen]).T @ (rows[:, seen] / lengths[seen]), hermitian=True)
        own = np.full(len(free), np.inf)
        own[seen] = np.sqrt(variance * np.diag(inverse)) / lengths[seen]
        errors[free] = own
        return errors

    def _non_negative(self, rows: Any, target: Any) -> Any:
        """The least squares with no value below zero: the best of all choices of which values are zero."""
        np = self._np
        lengths = np.sqrt((rows**2).sum(axis=0))
        lengths[lengths == 0] = 1.0
        normed = rows / lengths
        products, aims = normed.T @ normed, normed.T @ target
        best, least = np.zeros(len(aims)), 0.0
        for size in range(len(aims), 0, -1):
            for some in combinations(range(len(aims)), size):
                own, aim = products[np.ix_(some, some)], aims[list(some)]
                values = np.linalg.lstsq(own, aim, rcond=1e-12)[0]
                cost = float(values @ own @ values - 2 * values @ aim)
                if cost < least and values.min() >= 0:
                    best, least = np.zeros(len(aims)), cost
                    best[list(some)] = values
            if size == len(aims) and least < 0:  # None of them would be below zero.
                break
        return best / lengths

    def _rows(self, knee: float) -> Any:
        """What each measured time is a sum of, for matrices that take their floor up to so many tokens."""
        rows = [self._first_token_row(each, knee) for each in self._first_tokens]
        for each in self._decode_steps:
            on_floor = each.sequences <= knee
            rows.append([0.0, on_floor, not on_floor, 0.0 if on_floor else each.sequences, each.kv_tokens, 0.0])
        return self._np.array(rows, dtype=float)

    def _first_token_row(self, of: FirstToken, knee: float) -> list[float]:
        row = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        left, known = of.new_tokens, of.cached_tokens
        while left:
            new = min(left, self._batch)
            if new <= knee:
                row[1] += 1
            else:
                row[2] += 1
                row[3] += new
            if new == 1:
                row[4] += known + 1
            else:
                row[5] += new * (known + new / 2)
            left, known = left - new, known + new
        return row
