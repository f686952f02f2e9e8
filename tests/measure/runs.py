"""Runs and their summaries, made up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf

import numpy as np

from warmroute.measure import ReplayedRequest, Run
from warmroute.measure.metrics import Metric
from warmroute.measure.summary import RunSummary

BASELINE, CANDIDATE = "random", "prefix"
STARTED = datetime(2026, 1, 1, tzinfo=UTC)


def replayed(arm=BASELINE, pair=0, index=0, ttft=1.0, **others):
    """A request; one that fails with ``error``."""
    failed = others.get("error") is not None
    values = {
        "arm": arm,
        "pair": pair,
        "position": 0,
        "index": index,
        "planned_seconds": float(index),
        "sent_seconds": float(index),
        "ttft_seconds": inf if failed else ttft,
        "e2e_seconds": inf if failed else 4 * ttft,
        "inter_token_seconds": inf if failed else ttft / 10,
        "input_tokens": 1_000,
        "output_tokens": None if failed else 100,
        "cached_tokens": 0,
        "instance": None if failed else f"i-{index % 4}",
    }
    return ReplayedRequest(**(values | others))


def a_run(arm=BASELINE, pair=0, ttfts=(), *, failing=(), segments=None, requests=None, **others):
    """A run of requests a second apart, of one TTFT each."""
    if requests is None:
        requests = tuple(
            replayed(
                arm,
                pair,
                index,
                ttft,
                error="ThrottlingException" if index in failing else None,
                segment=segments[index % len(segments)] if segments else "",
            )
            for index, ttft in enumerate(ttfts)
        )
    values = {
        "arm": arm,
        "pair": pair,
        "position": 0 if arm == BASELINE else 1,
        "started": STARTED + timedelta(hours=pair, minutes=0 if arm == BASELINE else 20),
        "duration_seconds": float(len(requests)) + 10,
        "endpoint_arn": "arn:aws:sagemaker:us-east-1:111122223333:endpoint/support-bot",
        "requests": requests,
    }
    return Run(**(values | others))


def ttfts(count, seed, scale=1.0):
    """Times with a long tail."""
    return (scale * np.random.default_rng(seed).lognormal(sigma=0.5, size=count)).tolist()


STEADY = {
    **dict.fromkeys(Metric, 1.0),
    Metric.ERROR_SHARE: 0.0,
    Metric.LARGEST_INSTANCE_SHARE: 0.15,
    Metric.OUTPUT_TOKENS_PER_SECOND: 1_000.0,
}


def summary(arm=BASELINE, pair=0, figures=None, **others):
    """A summary whose figures are ``STEADY``, but for some."""
    values = {
        "arm": arm,
        "pair": pair,
        "started": STARTED + timedelta(hours=pair, minutes=0 if arm == BASELINE else 20),
        "duration_seconds": 600.0,
        "requests": 1_000,
        "steady": STEADY | (figures or {}),
    }
    return RunSummary(**(values | others))


def pairs(ratios, metrics=(Metric.TTFT_P90,), **others):
    """Summaries of pairs whose candidate's figures have some ratios to the baseline's."""
    found = []
    for pair, ratio in enumerate(ratios):
        figures = {metric: STEADY[metric] * ratio for metric in metrics}
        found += [summary(pair=pair, **others), summary(CANDIDATE, pair, figures, **others)]
    return found
