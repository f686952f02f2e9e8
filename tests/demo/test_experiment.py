"""What the demo's requests meet on the local endpoint, whose server runs in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from in_process import running_in_process

from warmroute.demo import example_spec, generated_requests
from warmroute.demo.experiment import Answer, Arm, run_arm
from warmroute.errors import LocalEndpointError
from warmroute.local import RunningLocally
from warmroute.traffic import TrafficRequest

PREFIX_LENGTH = 1_024
REQUESTS = generated_requests(2, handbook_characters=2_000)


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_in_process(example_spec()) as running:
        yield running


def test_an_answer_tells_its_instance_its_tokens_and_its_time_from_the_planned_one(local: RunningLocally) -> None:
    first, again = (_send(local, REQUESTS[:1])[0] for _ in range(2))

    assert first.key == again.key
    assert first.instance == again.instance
    assert (first.overflowed, first.prompt_tokens) == (False, again.prompt_tokens)
    assert 0 <= first.cached_tokens < again.cached_tokens < again.prompt_tokens
    assert first.ttft_seconds > 0


def test_an_endpoint_that_refuses_ends_the_demo_with_what_it_said(local: RunningLocally) -> None:
    with pytest.raises(LocalEndpointError, match=r"Endpoint nobody stopped answering: .*nobody"):
        _send(local, REQUESTS[:1], endpoint="nobody")


def _send(local: RunningLocally, requests: list[TrafficRequest], endpoint: str = "support-bot") -> list[Answer]:
    arm = Arm(local.session(), endpoint)
    return run_arm(arm, requests, prefix_length=PREFIX_LENGTH, requests_per_second=200)
