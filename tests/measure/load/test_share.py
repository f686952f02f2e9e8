"""Every request of a plan is one worker's, whatever the number of workers; a session stays with one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.load.share import Share, worker_of
from warmroute.measure.replay.bodies import Body
from warmroute.measure.replay.planning import Planned

sessions = st.one_of(st.just(""), st.text(max_size=3), st.just("\ud800"))


def plan_of(names):
    return [
        Planned(number, number / 8, 0.0, name, "", None, Body(b'{"n":%d}' % number, ""))
        for number, name in enumerate(names)
    ]


@given(st.lists(sessions, max_size=40), st.integers(1, 7))
def test_shares_have_no_gaps_and_no_doubles_and_keep_the_order(names, workers):
    plan = plan_of(names)
    shares = [list(Share(index, workers)(plan)) for index in range(workers)]

    assert sorted(each.number for share in shares for each in share) == list(range(len(plan)))
    assert all([each.number for each in share] == sorted(each.number for each in share) for share in shares)


@given(st.lists(sessions.filter(bool), min_size=1, max_size=40), st.integers(1, 7))
def test_a_session_is_one_worker_s(names, workers):
    served = {(each.session, worker_of(each, workers)) for each in plan_of(names)}

    assert len(served) == len(set(names))


def test_requests_without_session_are_spread_evenly():
    shares = [list(Share(index, 4)(plan_of([""] * 100))) for index in range(4)]

    assert [len(share) for share in shares] == [25] * 4


def test_workers_with_the_same_plan_have_the_same_fingerprint_whatever_their_share():
    plan = plan_of(["a", "b", ""])
    shares = [Share(0, 1), Share(0, 3), Share(2, 3)]
    for share in shares:
        list(share(plan))

    assert len({share.fingerprint for share in shares}) == 1
    assert {share.planned for share in shares} == {3}


def test_any_difference_of_a_plan_changes_the_fingerprint():
    plan = plan_of(["a", "b"])
    first, second = plan
    others = [
        [first],
        [first, second, second],
        [first, second._replace(planned_seconds=0.25)],
        [first, second._replace(planned_seconds=None)],
        [first, second._replace(delay_seconds=1.0)],
        [first, second._replace(session="a")],
        [first, second._replace(body=Body(b'{"n":2}', ""))],
    ]
    seen = set()
    for each in (plan, *others):
        share = Share(0, 1)
        list(share(each))
        seen.add(share.fingerprint)

    assert len(seen) == len(others) + 1
