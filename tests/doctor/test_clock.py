"""The probes of the clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from warmroute.doctor import Machine, Status, clock, online

NOW = 1_796_000_000.0


def test_a_clock_that_can_be_right() -> None:
    (found,) = clock.clock(Machine(environment={"PATH": ""}, now=4_000_000_000.0))

    assert str(found) == "ok       clock: 2096-10-02 07:06 UTC."


def test_a_clock_before_warmroute_was_installed() -> None:
    (found,) = clock.clock(Machine(environment={"PATH": ""}, now=0.0))

    assert found.status is Status.PROBLEM
    assert found.message.startswith("it says 1970-01-01 00:00 UTC, before warmroute was installed")


@pytest.mark.parametrize(("says", "status"), [("yes", Status.OK), ("no", Status.WARNING)])
def test_whether_something_keeps_it_right(program: Callable[..., Path], says: str, status: Status) -> None:
    file = program("timedatectl", says)

    (found,) = clock.clock(Machine(environment={"PATH": str(file.parent)}, now=4_000_000_000.0))

    assert found.status is status


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (NOW, "ok       clock: within 0 s of AWS's."),
        (NOW - 299, "ok       clock: within 299 s of AWS's."),
        (NOW + 3_600, "problem  clock: it is 60 minutes ahead of AWS's, which refuses calls beyond 5. "),
        (NOW - 600, "problem  clock: it is 10 minutes behind AWS's, which refuses calls beyond 5. "),
    ],
)
def test_against_aws_s(now: float, says: str) -> None:
    (found,) = online.skew(now, "Mon, 30 Nov 2026 00:53:20 GMT")

    assert str(found).startswith(says)


def test_aws_does_not_say() -> None:
    assert list(online.skew(NOW, None)) == []
