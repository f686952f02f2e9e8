from __future__ import annotations

from collections.abc import Callable

import pytest
from tune.made import conversations, letters, observed, row, unique

from warmroute.errors import WarmrouteError
from warmroute.fleet import EngineProfile, FleetConfig, simulate
from warmroute.tune import Observed, Workload, workload
from warmroute.tune.workload import busiest, halves

ENGINE = EngineProfile()


def made(of: Observed, rate: float | None = None, seed: int = 0) -> Workload:
    return workload(of, instances=2, profile=ENGINE, requests_per_second=rate, seed=seed)


def cached_tokens(of: Observed) -> list[int]:
    return [record.cached_tokens for record in simulate(made(of).requests, FleetConfig(instances=1))]


def test_the_next_turn_finds_the_answer_of_the_one_before() -> None:
    first = letters("a", 2_000)
    second = first + letters("answer", 800) + letters("b", 1_200)
    turns = [
        row(first, arrival_seconds=0.0, session="s", turn=0, output_tokens=200),
        row(second, arrival_seconds=60.0, session="s", turn=1, output_tokens=10),
    ]

    # 2,000 characters and 200 tokens; the newest token of an answer is in no cache, nor is a block that is not full.
    assert cached_tokens(observed(turns)) == [0, (500 + 200 - 1) // 16 * 16]


def test_equal_texts_share_all_but_the_last_block() -> None:
    text = letters("short", 700)
    same = [row(text, arrival_seconds=float(at), output_tokens=1) for at in (0, 60)]

    assert cached_tokens(observed(same)) == [0, (175 - 1) // 16 * 16]


def test_prompts_of_another_root_share_nothing() -> None:
    text = letters("same", 4_000)
    rows = [row(text, root=root, arrival_seconds=float(root * 60), output_tokens=1) for root in (0, 1)]

    assert cached_tokens(observed(rows)) == [0, 0]


def test_counted_tokens_tell_how_many_characters_one_has_and_what_comes_before_the_text() -> None:
    rows = [
        row(letters(size, size), input_tokens=1_000 + size // 2, output_tokens=1, arrival_seconds=float(size))
        for size in (2_000, 4_000, 6_000)
    ]
    rows.append(row(letters("uncounted", 8_000), output_tokens=1, arrival_seconds=9_000.0))
    work = made(observed(rows))

    assert [request.prompt.tokens for request in work.requests] == [2_000, 3_000, 4_000, 5_000]
    assert work.notes == ("1 of 4 requests are without a count of tokens: 2 characters are one token.",)


def test_times_that_are_lacking_are_drawn_and_that_is_said() -> None:
    rows = [row(letters(n, 1_000), session=n // 4, turn=n % 4, output_tokens=50) for n in range(400)]
    work = made(observed(rows), rate=8.0)

    assert "tells no times of arrival. They were drawn: 8 requests a second, as asked for" in work.notes[-1]
    assert 5 < work.requests_per_second < 10
    order = [row for row in work.rows if row // 4 == 7]
    assert order == sorted(order)
    assert made(observed(rows), rate=8.0) == work
    assert made(observed(rows), rate=8.0, seed=1) != work


@pytest.mark.parametrize(
    ("timed", "says"),
    [
        (
            lambda n: float(n) if n < 150 else None,
            "no time of arrival of 50 of 200 requests, so that none is used. They",
        ),
        (lambda _: 7.0, "one time of arrival for all requests. They were drawn"),
    ],
)
def test_times_that_are_of_no_use_are_drawn_for_the_reason_that_is_said(
    timed: Callable[[int], float | None], says: str
) -> None:
    rows = [row(letters(n, 1_000), output_tokens=50, arrival_seconds=timed(n)) for n in range(200)]

    assert says in made(observed(rows)).notes[-1]


def test_a_rate_is_derived_from_the_fleet() -> None:
    rows = [row(letters(n, 1_000), output_tokens=50) for n in range(200)]
    two, four = (
        workload(observed(rows), instances=instances, profile=ENGINE).requests_per_second for instances in (2, 4)
    )

    assert four == pytest.approx(2 * two, rel=0.05)


def test_a_coarse_clock_is_spread_and_turns_keep_their_order() -> None:
    told = {"arrival_resolution_seconds": 1.0, "output_tokens": 1}
    rows = [row(letters(n, 1_000), session=n % 2, turn=n // 2, arrival_seconds=5.0, **told) for n in range(40)]
    rows.append(row(letters("later", 1_000), session="x", turn=0, arrival_seconds=9.0, **told))
    work = made(observed(rows))

    assert "ticks every 1 s" in work.notes[-1]
    assert len({request.arrival_seconds for request in work.requests}) > 20
    for session in (0, 1):
        order = [row for row in work.rows if row % 2 == session and row < 40]
        assert order == sorted(order)


def test_a_rate_stretches_the_times_of_a_trace() -> None:
    work = made(unique(requests=300, length=1_000, rate=4), rate=12.0)

    assert work.requests_per_second == pytest.approx(12.0)
    assert "stretched by" in work.notes[-1]


def test_a_few_requests_without_time_are_left_out() -> None:
    rows = [row(letters(n, 1_000), arrival_seconds=float(n), output_tokens=1) for n in range(30)]
    rows.append(row(letters("no time", 1_000), output_tokens=1))
    work = made(observed(rows))

    assert len(work) == 30
    assert "Left out: 1 request without a time." in work.notes


def test_an_impossible_rate_is_refused() -> None:
    with pytest.raises(WarmrouteError, match=r"A rate of 0\.0 requests a second\. Give one above 0\."):
        made(unique(requests=3, length=1_000, rate=4), rate=0.0)


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0])
def test_a_rate_is_a_number_above_0(rate: float) -> None:
    with pytest.raises(WarmrouteError, match="Give one above 0"):
        made(unique(requests=3, length=1_000, rate=4), rate=rate)


def test_times_that_cannot_be_of_one_traffic_are_a_message_and_not_a_wait() -> None:
    rows = [row(letters(n, 1_000), arrival_seconds=float(n), output_tokens=1) for n in range(20)]
    rows.append(row(letters("last", 1_000), arrival_seconds=1.7e12, output_tokens=1))
    with pytest.raises(WarmrouteError, match=r"The arrivals span 19,675,926 days\."):
        made(observed(rows))


def test_what_no_cache_can_hold_is_left_out() -> None:
    rows = [row(letters(n, 1_000), arrival_seconds=float(n), input_tokens=250, output_tokens=1) for n in range(20)]
    rows[7]["input_tokens"] = rows[9]["output_tokens"] = 2**40
    work = made(observed(rows))

    assert work.rows == tuple(n for n in range(20) if n not in {7, 9})
    assert "Left out: 2 requests that no engine's KV cache of 1,350,000 tokens can hold." in work.notes
    with pytest.raises(WarmrouteError, match="Every request is larger than an engine's KV cache"):
        made(observed([rows[7], rows[9]]))


@pytest.mark.parametrize("times", [[0.0] * 15 + [9.0] * 5, [0.0] * 5 + [9.0] * 15, [0.0] * 19 + [9.0]])
def test_both_halves_have_requests_however_the_times_lie(times: list[float]) -> None:
    rows = [row(letters(n, 1_000), arrival_seconds=at, output_tokens=1) for n, at in enumerate(times)]
    first, middle = halves(made(observed(rows)))

    assert 0 < len(first) < 20
    assert first.requests[-1].arrival_seconds < middle == 9.0


def test_the_busiest_part_is_the_one_in_which_most_arrives() -> None:
    times = [*range(0, 100, 10), *range(100, 110), *range(200, 300, 10)]
    rows = [row(letters(n, 1_000), arrival_seconds=float(at), output_tokens=1) for n, at in enumerate(times)]
    part = busiest(made(observed(rows)), 10)

    assert part.rows == tuple(range(10, 20))
    assert part.requests[0].arrival_seconds == 0.0


def test_a_seed_places_keys_anew_and_keeps_which_are_equal() -> None:
    of = conversations(head=0, turn=1_500, turns=3, sessions=5, rate=4)
    work = made(of)
    keys = of.keys("openai", 1_024)
    first, second = (work.keyed(keys, seed=seed) for seed in (0, 1))

    assert {request.key for request in first}.isdisjoint(request.key for request in second)
    assert len({request.key for request in first}) == len(set(keys)) == 5
