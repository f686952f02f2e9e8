"""The outcome of a comparison in words, without colours."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from measure.report.comparisons import comparison

from warmroute.cli.compare_text import print_comparison


@pytest.fixture
def said(tmp_path, capsys):
    def run(scales, **options):
        print_comparison(comparison(tmp_path, scales, **options), tmp_path)
        return capsys.readouterr().out

    return run


def test_a_clear_gain_is_adopted_with_its_figures_and_guards(said):
    text = said({"random": 1.0, "prefix": 0.5}, count=800)
    assert "prefix instead of random: ADOPT. " in text
    assert "P90 TTFT" in text
    assert "p, adjusted" in text
    assert "A/A: P90 TTFT of 5 runs of the baseline differs by " in text
    assert "\x1b" not in text


def test_no_difference_is_no_adoption(said):
    assert "prefix instead of random: ADOPT" not in said({"random": 1.0, "prefix": 1.0})


def test_pairs_that_are_missing_are_told_in_number_and_hours(said):
    text = said({"random": 1.0, "prefix": 0.83}, pairs=5, count=800)
    assert "INCONCLUSIVE" in text
    assert "  8 further pairs, 3.6 hours, would decide if the effect is as it looks." in text


def test_what_was_left_out_says_why(said):
    text = said({"random": 1.0, "prefix": 0.5}, pairs=7, invalid={("prefix", 2)})
    assert re.search(r"left out: runs/2-1-\w+: The client lagged", text)


def test_an_open_verdict_that_more_pairs_would_not_settle_says_so(said):
    text = said({"random": 1.0, "prefix": 0.83}, pairs=5, count=200)
    assert "INCONCLUSIVE" in text
    assert "  More pairs alone would not decide." in text


def test_a_p_value_is_never_told_as_zero(said):
    text = said({"random": 1.0, "prefix": 0.2}, count=800)
    assert "below 0.001" in text
    assert "0.000" not in text


@pytest.mark.parametrize(("engine", "noted"), [("simulated by warmroute 0.1.0", True), ("vLLM 0.30.0", False)])
def test_simulated_engines_are_told_and_others_not(tmp_path, capsys, engine, noted):
    made = comparison(tmp_path, {"random": 1.0, "prefix": 0.5}, count=40)
    print_comparison(replace(made, runs=tuple(replace(run, engine=engine) for run in made.runs)), tmp_path)

    assert ("note: Engines were simulated" in capsys.readouterr().out) is noted


def test_segments_have_lines_of_their_own(said):
    segmented = {"segments": ("tickets", "manuals")}
    text = said({"random": 1.0, "prefix": 0.5}, count=1_600, options={"random": segmented, "prefix": segmented})
    assert text.count("  segment ") == 2
    assert "segment manuals: pays off; -48.1 % " in text


def test_a_comparison_without_two_arms_has_no_verdict(said):
    text = said({"random": 1.0})
    assert "No verdict: no two arms have a valid run." in text
