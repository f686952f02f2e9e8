"""One run in virtual time."""

from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure.replay.simulated import END, LAST, Endpoint, Target, request
from measure.virtual_time import run_virtually

from warmroute.measure.replay.open_loop import GIVE_UP_AFTER, OpenLoop


def replayed(requests, behave=lambda body: "answer", *, connections=1_000, stop_after=None, busy=(), salt=""):
    rows = []

    async def main(loop):
        endpoint = Endpoint(behave, connections=connections)
        run = OpenLoop(requests, Target(), endpoint.exchange, on_row=rows.append, salt=salt)
        for at, seconds in busy:
            loop.call_at(run.start + at, loop.spend, seconds)
        task = asyncio.create_task(run.run())
        if stop_after is not None:
            loop.call_at(run.start + stop_after, task.cancel)
        await asyncio.wait({task})
        assert not run.in_flight
        return endpoint, run, None if task.cancelled() else task.exception()

    endpoint, run, error = run_virtually(main)
    return sorted(rows, key=lambda row: row.index), endpoint, run, error


def test_times_count_from_the_planned_time():
    (first, second), _, _, error = replayed([request(0, 0.0), request(1, 0.5)])

    assert error is None
    assert (second.planned_seconds, second.sent_seconds) == (pytest.approx(0.5), pytest.approx(0.5))
    for row in (first, second):
        assert row.ttft_seconds == pytest.approx(1.0)
        assert row.e2e_seconds == pytest.approx(1.2)
        assert row.inter_token_seconds == pytest.approx(0.1)
        assert (row.input_tokens, row.output_tokens, row.cached_tokens) == (9, 3, 4)
        assert (row.variant, row.error) == ("main", None)


def test_the_loop_is_open_nobody_waits_for_an_answer():
    rows, *_ = replayed([request(number, number * 0.1) for number in range(20)])
    assert max(row.lag_seconds for row in rows) == pytest.approx(0.0, abs=1e-9)


def test_a_client_that_was_busy_counts_the_wait_in():
    (_, late), *_ = replayed([request(0, 0.0), request(1, 0.5)], busy=[(0.4, 0.6)])
    assert late.lag_seconds == pytest.approx(0.5)
    assert late.connection_wait_seconds == pytest.approx(0.0)
    assert late.ttft_seconds == pytest.approx(1.5)


def test_waiting_for_a_connection_is_lag_and_told_apart():
    (_, late), *_ = replayed([request(0, 0.0), request(1, 0.5)], connections=1)
    assert late.lag_seconds == pytest.approx(0.7)
    assert late.connection_wait_seconds == pytest.approx(0.7)
    assert late.ttft_seconds == pytest.approx(1.7)


REFUSAL = (404, {"x-amzn-errortype": "ModelError"}, b'{"OriginalStatusCode": 404, "Message": "secret prompt"}')


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        ("lose", "connection lost"),
        ("break", "broke off"),
        (REFUSAL, "ModelError 404 (404)"),
        ((429, {}, b"slow down"), "HTTP 429"),
        ((400, {"x-amzn-errortype": "ThrottlingException:http://x"}, b"{}"), "ThrottlingException 400"),
        ((404, {}, b'{"error": {"type": "NotFoundError", "message": "no model secret"}}'), "NotFoundError 404"),
        ((200, {}, b'data: {"error": {"message": "secret"}}\n\n'), "error of the engine"),
        ((200, {}, b"data: secret\n\n"), "not a chunk of a chat completion"),
        ((200, {}, b"data: [DONE]\n\n"), "no token"),
    ],
)
def test_a_failure_is_a_row_with_infinite_times(behaviour, error):
    (row,), _, _, fault = replayed([request(0, 0.0)], lambda body: behaviour)
    assert fault is None
    assert row.error == error
    assert row.ttft_seconds == row.e2e_seconds == math.inf
    assert row.sent_seconds == pytest.approx(0.0)


def test_a_session_goes_on_after_its_answers():
    requests = [
        request(0, 0.0, session="a"),
        request(1, None, session="a", delay=2.0),
        request(2, None, session="a", delay=1.0),
        request(3, None, session="b", delay=0.5),
        request(4, 9.0),
        request(5, None, session="a", delay=1.0),
    ]
    rows, *_ = replayed(requests)
    assert [row.planned_seconds for row in rows] == pytest.approx([0.0, 3.2, 5.4, 0.5, 9.0, 7.6])


def test_a_session_goes_on_after_a_failure_too():
    rows, *_ = replayed([request(0, 0.0, session="a"), request(1, None, session="a")], lambda body: "lose")
    assert [row.error for row in rows] == ["connection lost"] * 2


def test_the_salt_is_in_every_body():
    _, endpoint, *_ = replayed([request(0, 0.0), request(1, 0.0)], salt="run-1")
    assert endpoint.bodies == [b'{"n":0,"cache_salt":"run-1"}', b'{"n":1,"cache_salt":"run-1"}']


def test_a_run_of_nothing_but_refusals_is_given_up():
    rows, endpoint, run, _ = replayed([request(number, number * 0.1) for number in range(300)], lambda body: REFUSAL)
    assert run.gave_up
    assert len(rows) == 300
    assert rows[-1].error == "not sent"
    assert GIVE_UP_AFTER <= len(endpoint.bodies) < GIVE_UP_AFTER + 20


def test_refusals_after_an_answer_are_not_given_up():
    rows, _, run, _ = replayed(
        [request(number, number * 0.1) for number in range(200)],
        lambda body: REFUSAL if body != b'{"n":0}' else "answer",
    )
    assert not run.gave_up
    assert all(row.error != "not sent" for row in rows)


def test_a_fault_of_the_program_ends_the_run_and_is_raised():
    rows, _, _, error = replayed([request(number, number * 0.5) for number in range(9)], lambda body: "fail")
    assert isinstance(error, ValueError)
    assert len({row.index for row in rows}) == len(rows)


def test_a_row_that_cannot_be_kept_ends_the_run():
    written = []

    def full(row):
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(row)

    async def main(loop):
        run = OpenLoop([request(n, n * 1.0) for n in range(9)], Target(), Endpoint().exchange, on_row=full)
        await run.run()

    with pytest.raises(OSError, match="No space left"):
        run_virtually(main)
    assert len(written) == 2


BEHAVIOURS = st.sampled_from(["answer", "lose", "break", REFUSAL, (500, {}, b"")])
PLANS = st.lists(
    st.tuples(st.none() | st.floats(0, 5), st.sampled_from(["", "a", "b"]), st.floats(0, 3), BEHAVIOURS), max_size=12
)


@given(PLANS, st.none() | st.floats(0, 12), st.integers(1, 4))
def test_every_request_has_one_row_whatever_fails_and_whenever_it_is_stopped(plan, stop_after, connections):
    at, requests, behaviours = 0.0, [], {}
    for number, (step, session, delay, behaviour) in enumerate(plan):
        at += step or 0.0
        requests.append(request(number, None if step is None else at, session=session, delay=delay))
        behaviours[b'{"n":%d}' % number] = behaviour

    rows, endpoint, _, error = replayed(
        requests, behaviours.__getitem__, connections=connections, stop_after=stop_after
    )

    assert error is None
    assert [row.index for row in rows] == list(range(len(plan)))
    assert len(endpoint.bodies) == sum(not math.isnan(row.sent_seconds) for row in rows)
    for row in rows:
        assert (row.error is None) == math.isfinite(row.ttft_seconds)
        assert row.error is not None or row.ttft_seconds >= row.lag_seconds >= -1e-9
    if stop_after is None:
        assert all(row.error not in ("not sent", "stopped") for row in rows)


@pytest.mark.parametrize(
    ("headers", "instance", "overflowed"),
    [
        ({}, None, None),
        ({"x-warmroute-instance": "i-1"}, "i-1", False),
        ({"x-warmroute-instance": "i-1", "x-warmroute-overflow": "i-0"}, "i-1", True),
    ],
)
def test_only_an_endpoint_that_names_its_instances_tells_of_overflows(headers, instance, overflowed):
    (row,), *_ = replayed([request(0, 0.0)], lambda body: (200, headers, LAST + END))

    assert (row.error, row.instance, row.overflowed) == (None, instance, overflowed)


def test_a_row_has_the_segment_of_its_request_also_if_it_was_never_sent():
    requests = [request(number, 10.0 * number)._replace(segment="acme") for number in range(2)]

    rows, *_ = replayed(requests, stop_after=5.0)

    assert [row.segment for row in rows] == ["acme", "acme"]
    assert rows[1].error == "not sent"
