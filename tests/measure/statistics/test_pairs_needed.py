from __future__ import annotations

from math import inf, log, sqrt

import numpy as np
import pytest
from scipy.stats import nct, t

from warmroute.errors import WarmrouteError
from warmroute.measure.statistics import pairs_for_reduction, pairs_needed, run_noise

TABLE = [(0.03, 0.05, 8), (0.05, 0.05, 17), (0.05, 0.10, 6), (0.10, 0.10, 17), (0.10, 0.20, 6)]


@pytest.mark.parametrize(("noise", "reduction", "pairs"), TABLE)
def test_pairs_for_a_power_of_80_percent(noise, reduction, pairs):
    assert pairs_for_reduction(noise, reduction) == pairs


@pytest.mark.parametrize(("noise", "reduction", "pairs"), TABLE)
def test_so_many_pairs_have_the_power_and_one_fewer_has_not(noise, reduction, pairs):
    def power(count):
        shift = -log(1 - reduction) / (noise * sqrt(2)) * sqrt(count)
        critical = t.ppf(0.975, count - 1)
        return nct.sf(critical, count - 1, shift) + nct.cdf(-critical, count - 1, shift)

    assert power(pairs) >= 0.8 > power(pairs - 1)


def test_the_power_is_that_of_drawn_experiments():
    pairs = pairs_needed(0.1, 0.1)
    drawn = np.random.default_rng(1).normal(0.1, 0.1, (4_000, pairs))
    statistic = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1) * sqrt(pairs)

    assert np.mean(np.abs(statistic) > t.ppf(0.975, pairs - 1)) == pytest.approx(0.8, abs=0.06)


def test_more_noise_and_a_smaller_effect_need_more_pairs():
    assert pairs_needed(0.1, 0.1) < pairs_needed(0.2, 0.1) < pairs_needed(0.2, 0.05)
    assert pairs_needed(0.1, 0.1, power=0.8) < pairs_needed(0.1, 0.1, power=0.95)


@pytest.mark.parametrize(("deviation", "distance"), [(0.1, 0.0), (0.1, -1.0), (inf, 0.1), (1.0, 0.001)])
def test_what_no_number_of_pairs_shows(deviation, distance):
    assert pairs_needed(deviation, distance) is None


@pytest.mark.parametrize(("deviation", "distance"), [(0.0, 0.1), (1e-9, 1.0)])
def test_two_pairs_are_the_least(deviation, distance):
    assert pairs_needed(deviation, distance) == 2


def test_noise_between_runs_of_one_arm():
    assert run_noise([1.0, 1.1, 0.9]) == pytest.approx(np.std(np.log([1.0, 1.1, 0.9]), ddof=1))


@pytest.mark.parametrize("quantiles", [[], [1.0], [1.0, inf], [1.0, 0.0]])
def test_noise_that_cannot_be_told(quantiles):
    with pytest.raises(WarmrouteError, match="noise"):
        run_noise(quantiles)


def test_a_reduction_that_has_to_exceed_another_is_only_that_far_from_it():
    assert pairs_for_reduction(0.05, 0.2, beyond=0.05) == pairs_needed(0.05 * sqrt(2), log(0.95 / 0.8))
    assert pairs_for_reduction(0.05, 0.05, beyond=0.05) is None
