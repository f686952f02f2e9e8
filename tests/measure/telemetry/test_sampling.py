"""Sampling beside a run, without a server."""

from __future__ import annotations

import time

import pytest
from loopback import answering

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry import JoinedObserver, OverflowBasis
from warmroute.measure.telemetry import local_endpoint as local_module
from warmroute.measure.telemetry import vllm as vllm_module
from warmroute.measure.telemetry.local_endpoint import local_fleet, local_observer
from warmroute.measure.telemetry.sampling import Unanswered, metrics_text
from warmroute.measure.telemetry.vllm import vllm_observer

NEVER = 3_600.0
"""Seconds between samples: only the first and the last are taken."""


@pytest.fixture
def answers(monkeypatch):
    """What each address answers, in turn; an exception is raised."""
    coming = {}

    def metrics_text(url):
        answer = coming[url].pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer.encode()

    for module in (vllm_module, local_module):
        monkeypatch.setattr(module, "metrics_text", metrics_text)
    return coming


def _vllm(finished, hits=0, queries=0, running=0):
    return (
        f"vllm:request_success_total {finished}\nvllm:prefix_cache_hits_total {hits}\n"
        f"vllm:prefix_cache_queries_total {queries}\nvllm:num_requests_running {running}\n"
        "vllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.5\n"
    )


def _local(instance, requests, overflows=0, variant="main", endpoint="bot"):
    labels = f'{{endpoint="{endpoint}",variant="{variant}",instance="{instance}"}}'
    return f"warmroute_requests_total{labels} {requests}\nwarmroute_overflow_requests_total{labels} {overflows}\n"


def _seen(observer):
    observer.begin()
    return observer.end()


def test_several_servers_of_vllm(answers):
    answers["http://a/metrics"] = [_vllm(10, 100, 1_000), _vllm(13, 900, 2_000)]
    answers["http://b/metrics"] = [_vllm(0), _vllm(1, 100, 1_000)]
    telemetry = _seen(vllm_observer(["http://a", "http://b/metrics"], concurrency_threshold=9, interval_seconds=NEVER))

    assert (telemetry.requests, telemetry.hit_rate) == (4, 0.45)
    assert telemetry.instance_shares == {"http://a": 0.75, "http://b": 0.25}
    assert (telemetry.overflow.at_most, telemetry.overflow.basis) == (0, OverflowBasis.BOUNDED)
    assert telemetry.sources == ("vLLM http://a/metrics", "vLLM http://b/metrics")
    assert telemetry.unavailable["ttft"] == "No request was answered, or the engines do not count it."
    assert telemetry.unavailable["hit_rate_ceiling"] == "It was not given."


def test_without_a_threshold_nothing_bounds_the_overflow(answers):
    answers["http://a/metrics"] = [_vllm(0), _vllm(1)]
    assert "no concurrency threshold" in _seen(vllm_observer(["http://a"])).unavailable["overflow"]


def test_a_server_that_does_not_answer_is_an_error_at_the_beginning_and_a_note_later(answers):
    answers["http://a/metrics"] = [Unanswered("it does not answer: refused")]
    with pytest.raises(WarmrouteError, match=r"vLLM http://a/metrics: it does not answer: refused\."):
        vllm_observer(["http://a"]).begin()

    answers["http://a/metrics"] = [_vllm(0), Unanswered("it does not answer: refused")]
    telemetry = _seen(vllm_observer(["http://a"], interval_seconds=NEVER))
    assert telemetry.requests is None
    assert telemetry.notes == (
        "vLLM http://a/metrics: 1 of 2 samples are missing; the last one: it does not answer: refused.",
    )


def test_what_is_no_server_of_vllm(answers):
    answers["http://a/metrics"] = ["<html>Welcome</html>"]
    with pytest.raises(WarmrouteError, match="it has none of vLLM's metrics"):
        vllm_observer(["http://a"]).begin()


def test_the_local_endpoint_measures_overflow(answers):
    answers["http://localhost:1/_warmroute/metrics"] = [
        _local("i-0", 5, 1) + _local("i-1", 0) + _local("other", 7, variant="shadow"),
        _local("i-0", 8, 2) + _local("i-1", 5, 1) + _local("i-2", 2) + _local("other", 70, variant="shadow"),
    ]
    telemetry = _seen(local_observer("http://localhost:1/", "bot", "main", interval_seconds=NEVER))

    assert telemetry.requests == 10
    assert telemetry.instance_shares == {"i-0": 0.3, "i-1": 0.5, "i-2": 0.2}
    overflow = telemetry.overflow
    assert (overflow.at_least, overflow.at_most, overflow.basis) == (0.2, 0.2, OverflowBasis.MEASURED)
    assert telemetry.unavailable["hit_tokens"] == "The engines behind the local endpoint do not tell it."


def test_an_endpoint_that_is_not_there(answers):
    answers["http://localhost:1/_warmroute/metrics"] = [_local("i-0", 5)]
    with pytest.raises(WarmrouteError, match="it has no instance of endpoint nope"):
        local_observer("http://localhost:1", "nope").begin()


def test_observers_that_began_are_given_up_where_another_cannot_begin(answers):
    answers["http://a/metrics"] = [_vllm(0)]
    answers["http://b/metrics"] = [Unanswered("it does not answer")]
    first = vllm_observer(["http://a"], interval_seconds=NEVER)
    with pytest.raises(WarmrouteError, match="http://b"):
        JoinedObserver([first, vllm_observer(["http://b"])]).begin()
    first._thread.join(10)
    assert not first._thread.is_alive()


def test_where_not_all_are_needed_one_that_has_nothing_to_see_is_a_reason(answers):
    answers["http://a/metrics"] = [_vllm(0), _vllm(2)]
    answers["http://b/metrics"] = [Unanswered("it does not answer")]
    observers = [vllm_observer(["http://b"]), vllm_observer(["http://a"], interval_seconds=NEVER)]
    telemetry = _seen(JoinedObserver(observers, needs_all=False))
    assert telemetry.requests == 2
    assert telemetry.sources == ("vLLM http://a/metrics",)
    assert "vLLM http://b/metrics: it does not answer." in telemetry.unavailable["overflow"]


def test_samples_are_taken_while_the_run_is_on(answers):
    answers["http://a/metrics"] = [_vllm(number) for number in range(10_000)]
    observer = vllm_observer(["http://a"], interval_seconds=0.001)
    observer.begin()
    deadline = time.monotonic() + 60
    while len(observer._rounds) < 5 and time.monotonic() < deadline:
        time.sleep(0.001)
    telemetry = observer.end()
    assert len(telemetry.kv_cache_usage) >= 5
    assert telemetry.requests == len(telemetry.kv_cache_usage) - 1


def test_metrics_are_asked_for_as_text():
    asked = []
    with answering(lambda request: (asked.append(request), (200, b"up 1\n"))[1]) as url:
        assert metrics_text(f"{url}/metrics") == b"up 1\n"

    assert [(request.path, request.headers["Accept"]) for request in asked] == [
        ("/metrics", "text/plain; version=0.0.4")
    ]


@pytest.mark.parametrize(
    ("status", "content", "why"),
    [(503, b"up 1", "it answers with status 503"), (200, b"x" * 101, "its answer has more than 100 bytes")],
)
def test_an_answer_that_holds_no_metrics_is_none(monkeypatch, status, content, why):
    monkeypatch.setattr("warmroute.measure.telemetry.sampling._MAX_BYTES", 100)
    with answering(lambda _: (status, content)) as url, pytest.raises(Unanswered, match=f"^{why}$"):
        metrics_text(url)


def test_a_server_that_is_not_there_does_not_answer():
    with pytest.raises(Unanswered, match=r"^it does not answer: .*refused"):
        metrics_text("http://127.0.0.1:9/metrics")


def test_what_serves_on_this_machine_is_told_with_its_engines(answers):
    text = """
warmroute_instance_in_service{endpoint="bot",variant="main",instance="i-0"} 1
warmroute_instance_in_service{endpoint="bot",variant="main",instance="i-1"} 0
warmroute_instance_in_service{endpoint="other",variant="main",instance="i-2"} 1
warmroute_engine_info{endpoint="bot",variant="main",instance="i-0",engine="vLLM 0.30.0"} 1
"""
    answers["http://local/_warmroute/metrics"] = [text, Unanswered("it answers with status 500")]

    assert local_fleet("http://local/", "bot") == ({"i-0"}, {"vLLM 0.30.0"})
    with pytest.raises(WarmrouteError, match=r"metrics: it answers with status 500\. Does it run\?"):
        local_fleet("http://local", "bot")


def test_a_run_without_requests_has_no_overflow(answers):
    answers["http://local/_warmroute/metrics"] = [_local("i-0", 3), _local("i-0", 3)]
    telemetry = _seen(local_observer("http://local", "bot", interval_seconds=NEVER))

    assert telemetry.requests == 0
    assert telemetry.unavailable["overflow"] == "There was no request."
