"""The cache hits that a run can have at most and should have, from what it sends."""

from __future__ import annotations

import errno
import json

import pytest

from warmroute.arms import LocalArm
from warmroute.arms.expecting import Expecting
from warmroute.demo import example_spec
from warmroute.errors import WarmrouteError
from warmroute.local import EngineKind, EngineSettings
from warmroute.measure.replay import Load, Sending, prepare
from warmroute.routing import RoutingConfig

PREFIX = RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16)
DOCUMENTS = 4


def arm(name, routing, **options):
    spec = example_spec()
    variant = spec.variants[0].model_copy(update={"routing_config": routing})
    return LocalArm(name, spec.model_copy(update={"variants": (variant,)}), **options)


@pytest.fixture
def schedule(tmp_path):
    """A few long documents, each asked about many times."""
    lines = (
        {
            "timestamp": 400 * number,
            "messages": [
                {"role": "system", "content": f"Handbook {number % DOCUMENTS} answers every question. " * 300},
                {"role": "user", "content": f"Question {number}?"},
            ],
            "output_length": 4,
        }
        for number in range(120)
    )
    trace = tmp_path / "trace.jsonl"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return prepare([str(trace)], Load(), Sending(), chat_only=False).schedule


def test_prefix_aware_routing_is_expected_to_reach_the_ceiling_and_random_is_not(schedule):
    expecting = Expecting()
    prefix, random = (expecting(arm(name, routing), schedule) for name, routing in (("p", PREFIX), ("r", None)))

    assert prefix.ceiling == random.ceiling == pytest.approx(1 - DOCUMENTS / 120, abs=0.03)
    assert prefix.predicted == pytest.approx(prefix.ceiling, abs=0.02)
    assert random.predicted < prefix.predicted - 0.1


def test_engines_that_run_faster_are_asked_as_fast(schedule):
    at_once = Expecting()(arm("p", PREFIX, speed_factor=0.01), schedule)
    as_told = Expecting()(arm("p", PREFIX, speed_factor=1.0), schedule)

    # At a hundredth of the speed all requests are there within half a second, and many before their prompt is cached.
    assert at_once.predicted < as_told.predicted


def test_it_is_computed_once_for_a_schedule_and_an_arm(schedule, monkeypatch):
    expecting, one = Expecting(), arm("p", PREFIX)
    first = expecting(one, schedule)
    monkeypatch.setattr("warmroute.arms.expecting.simulate_trace", None)

    assert expecting(one, schedule) is first


def test_an_arm_whose_fleet_is_not_known_has_a_ceiling_and_a_reason(schedule):
    unknown = arm("p", PREFIX, engines=EngineSettings(EngineKind.VLLM))

    found = Expecting()(unknown, schedule)

    assert found.ceiling == pytest.approx(1 - DOCUMENTS / 120, abs=0.03)
    assert found.predicted is None
    assert found.why_not_predicted == (
        "The fleet of p is not known: its engines are of the kind vllm, whose caches are not described."
    )


def test_a_full_disk_is_a_reason_and_stops_nothing(schedule, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("warmroute.arms.expecting.digest_requests", full)

    found = Expecting()(arm("p", PREFIX), schedule)

    assert (found.ceiling, found.predicted) == (None, None)
    assert found.why_no_ceiling == "What the run sends could not be kept for a simulation: No space left on device."


def test_an_arm_that_knows_no_fleet_has_a_ceiling_alone_or_two_reasons(schedule, monkeypatch):
    class Other:
        name = "other"

    known = Expecting()(Other(), schedule)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("warmroute.arms.expecting.digest_requests", full)
    unknown = Expecting()(Other(), schedule)

    assert known.ceiling == pytest.approx(1 - DOCUMENTS / 120, abs=0.03)
    assert known.why_not_predicted == unknown.why_not_predicted == "The fleet of other is not known."
    assert unknown.why_no_ceiling == "What the run sends could not be kept for a simulation: No space left on device."


def test_what_cannot_be_simulated_is_a_reason_and_stops_nothing(schedule, monkeypatch):
    def refuse(*_, **__):
        raise WarmrouteError("Every request is larger than the cache.", "Wait.")

    monkeypatch.setattr("warmroute.arms.expecting.simulate_trace", refuse)

    found = Expecting()(arm("p", PREFIX, api="openai"), schedule)

    assert (found.predicted, found.why_not_predicted) == (None, "Every request is larger than the cache.")
