"""What SageMaker published of a run: late, in whole periods, in pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.stub import ANY, Stubber

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry import CloudWatchObserver, OverflowBasis, PromqlObserver
from warmroute.measure.telemetry.cloudwatch import Clock
from warmroute.measure.telemetry.promql_api import Series
from warmroute.measure.telemetry.promql_names import discovered

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
VARIANT = {"EndpointName": "bot", "VariantName": "main"}
ENGINES = (("0", 0.25), ("1", 0.75))


class Time:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.at = NOON + timedelta(seconds=30)
        self.slept = []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.at += timedelta(seconds=seconds)

    @property
    def clock(self):
        return Clock(lambda: self.at, self.sleep)


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def cloudwatch():
    client = boto3.client("cloudwatch", "us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    with Stubber(client) as stub:
        yield client, stub
        stub.assert_no_pending_responses()


def _dimensions(values):
    return [{"Name": name, "Value": value} for name, value in values.items()]


def _lists(stub, known, *found, token=None):
    metrics = [
        {"Namespace": "AWS/SageMaker", "MetricName": "Invocations", "Dimensions": _dimensions(each)} for each in found
    ]
    asked = {"Namespace": "AWS/SageMaker", "MetricName": "Invocations", "Dimensions": _dimensions(known)}
    stub.add_response("list_metrics", {"Metrics": metrics}, asked)


def _answers(stub, *pages):
    """Pages of what metrics m0, m1, … have: values by minute."""
    for number, page in enumerate(pages):
        results = [
            {"Id": id_, "Timestamps": [NOON + timedelta(minutes=at) for at in found], "Values": list(found.values())}
            for id_, found in page.items()
        ]
        answer = {"MetricDataResults": results, **({"NextToken": str(number)} if number < len(pages) - 1 else {})}
        asked = {"MetricDataQueries": ANY, "StartTime": NOON, "EndTime": ANY, "ScanBy": "TimestampAscending"}
        stub.add_response("get_metric_data", answer, asked | ({"NextToken": str(number - 1)} if number else {}))


def _run(time, observer, minutes=3):
    observer.begin()
    time.at += timedelta(minutes=minutes)
    return observer.end()


def test_shares_and_the_bound_of_the_overflow(time, cloudwatch):
    client, stub = cloudwatch
    instances = [VARIANT | {"InstanceId": f"i-{number}"} for number in range(2)]
    _lists(stub, VARIANT)
    _answers(stub, {"m0": {0: 5.0}})
    _answers(stub, {"m0": {0: 5.0, 1: 10.0, 2: 15.0}})
    _lists(stub, VARIANT, VARIANT, *instances, VARIANT | {"InstanceType": "ml.p5.48xlarge"})
    _answers(
        stub,
        {"m0": {0: 5.0, 1: 10.0}, "m1": {0: 3.0, 1: 16.0, 2: 4.0}},
        {"m0": {2: 15.0}, "m2": {0: 20.0}, "m3": {1: 10.0}},
    )
    telemetry = _run(time, CloudWatchObserver(client, "bot", "main", concurrency_threshold=16, clock=time.clock))

    assert time.slept == [15.0]
    assert telemetry.requests == 30
    assert telemetry.instance_shares == {"i-0": pytest.approx(2 / 3), "i-1": pytest.approx(1 / 3)}
    assert (telemetry.overflow.basis, telemetry.overflow.at_least) == (OverflowBasis.BOUNDED, 0.0)
    assert telemetry.overflow.at_most == pytest.approx(1 / 3)
    assert telemetry.hit_tokens is None
    assert telemetry.unavailable["hit_tokens"] == "Classic metrics do not have it; the engines' own do."
    assert telemetry.notes == ("Periods of 60 s are counted whole; the first and the last also hold other requests.",)


def test_data_that_do_not_come_are_waited_for_only_so_long(time, cloudwatch):
    client, stub = cloudwatch
    _lists(stub, VARIANT)
    for _ in range(5):
        _answers(stub, {})
    _lists(stub, VARIANT)
    _answers(stub, {})
    telemetry = _run(time, CloudWatchObserver(client, "bot", "main", wait_seconds=60, clock=time.clock))

    assert sum(time.slept) == 60
    assert telemetry.requests is None
    assert telemetry.unavailable["requests"] == "CloudWatch has no data of the time of the run."
    assert "no data of the last whole period" in telemetry.notes[1]


def test_a_component_has_its_own_dimensions(time, cloudwatch):
    client, stub = cloudwatch
    component = {"InferenceComponentName": "llama"}
    copy = VARIANT | component | {"InstanceId": "i-0", "ContainerId": "c-0"}
    _lists(stub, VARIANT)
    _answers(stub, {"m0": {2: 5.0}})
    _lists(stub, VARIANT | component, copy)
    _answers(stub, {"m0": {2: 5.0}, "m1": {2: 1.0}, "m2": {2: 5.0}})
    telemetry = _run(time, CloudWatchObserver(client, "bot", "main", component_name="llama", clock=time.clock))
    assert telemetry.instance_shares == {"i-0/c-0": 1.0}
    assert "no concurrency threshold" in telemetry.unavailable["overflow"]


def test_a_refusal_is_an_error_at_the_beginning_and_a_reason_at_the_end(time, cloudwatch):
    client, stub = cloudwatch
    stub.add_client_error("list_metrics", "AccessDenied", "no", http_status_code=403)
    observer = CloudWatchObserver(client, "bot", "main", clock=time.clock)
    with pytest.raises(WarmrouteError, match="cloudwatch:GetMetricData"):
        observer.begin()

    _lists(stub, VARIANT)
    stub.add_client_error("get_metric_data", "AccessDenied", "no", http_status_code=403)
    telemetry = _run(time, observer)
    assert "AccessDenied" in telemetry.unavailable["requests"]


class Promql:
    """CloudWatch's PromQL endpoint: series by name, which start to exist after some questions."""

    def __init__(self, series, late=0):
        self.found, self.late, self.queries = series, late, []

    def names(self):
        return ["up", *self.found]

    def series(self, query, began, ended, step_seconds):
        self.queries.append(query)
        name = next(name for name in self.found if f'"{name}"' in query)
        until = ended if len(self.queries) > self.late else began
        return [
            Series(labels, tuple((at, value) for at, value in points if at <= until))
            for labels, points in self.found[name]
        ]


def _points(*values):
    start = NOON.timestamp()
    return [(start + 60 * number, float(value)) for number, value in enumerate(values)]


def _host(name, **more):
    return {"@resource.host.id": name, **more}


def test_promql_finds_names_and_counts_with_restarts(time):
    api = Promql(
        {
            "vllm:prefix_cache_hits_total": [(_host("i-0"), _points(100, 200, 50, 90))],
            "vllm:prefix_cache_queries_total": [(_host("i-0"), _points(100, 300, 100, 200))],
            "vllm:num_requests_waiting": [(_host("i-0", engine="0"), _points(0, 1, 2, 0))] * 2,
            "vllm:num_requests_running": [(_host("i-0"), _points(0, 1, 1, 0))],
            "vllm:request_success_total": [
                (_host("i-0", finished_reason=reason), _points(0, 1, 2, 3)) for reason in ("stop", "length")
            ],
        }
    )
    telemetry = _run(time, PromqlObserver(api, 'b"ot', "main", concurrency_threshold=3, clock=time.clock))

    assert (telemetry.hit_tokens, telemetry.queried_tokens) == (100 + 50 + 40, 200 + 100 + 100)
    assert [point.value for point in telemetry.queue_depth] == [0, 2, 4, 0]
    assert telemetry.overflow.basis is OverflowBasis.BOUNDED
    assert "hit_tokens: metric vllm:prefix_cache_hits_total." in telemetry.notes
    assert (
        '{"vllm:num_requests_waiting", "aws.sagemaker.endpoint.name"="b\\"ot", "aws.sagemaker.variant.name"="main"}'
        in (api.queries)
    )
    assert telemetry.unavailable["kv_cache_usage"] == "No metric of CloudWatch has a name that is known for it."


def test_promql_waits_for_late_data_and_leaves_out_what_was_cut(time):
    api = Promql({"vllm:num_requests_waiting": [(_host("i-0"), _points(0, 1, 2, 0))]}, late=3)
    telemetry = _run(time, PromqlObserver(api, "bot", clock=time.clock))
    assert time.slept == [15.0, 15.0, 15.0]
    assert telemetry.queue_depth[-1].value == 0

    many = Promql({"vllm:num_requests_waiting": [(_host(f"i-{number}"), _points(0, 1, 2, 0)) for number in range(500)]})
    telemetry = _run(Time(), PromqlObserver(many, "bot", clock=Time().clock))
    assert telemetry.queue_depth is None
    assert any("no more than 500 series" in note for note in telemetry.notes)


def test_promql_has_the_times_to_first_token_of_engines_that_tell_no_name(time):
    buckets = [({"le": bound}, _points(0, many, many, many)) for bound, many in (("0.1", 5), ("0.5", 9), ("+Inf", 10))]
    api = Promql(
        {
            "vllm:time_to_first_token_seconds_bucket": buckets,
            "vllm:time_to_first_token_seconds_count": [({}, _points(0, 10, 10, 10))],
            "vllm:time_to_first_token_seconds_sum": [({}, _points(0, 2, 2, 2))],
            "vllm:kv_cache_usage_perc": [({"engine": engine}, _points(0, usage, 0, 0)) for engine, usage in ENGINES],
        }
    )
    telemetry = _run(time, PromqlObserver(api, "bot", clock=time.clock))

    assert (telemetry.ttft.count, telemetry.ttft.mean_seconds) == (10, 0.2)
    assert (telemetry.ttft.p50_seconds, telemetry.ttft.p90_seconds, telemetry.ttft.p99_seconds) == (0.1, 0.5, None)
    # The fullest cache counts, not the sum.
    assert max(point.value for point in telemetry.kv_cache_usage) == 0.75


def test_promql_data_that_never_come_are_noted_and_a_refusal_at_the_end_is_a_reason(time):
    never = Promql({"vllm:num_requests_waiting": [(_host("i-0"), _points(0))]})
    telemetry = _run(time, PromqlObserver(never, "bot", wait_seconds=20.0, clock=time.clock))
    assert time.slept == [15.0, 5.0]
    assert "CloudWatch had no data of the run's end after 20 s of waiting." in telemetry.notes

    def refuse(*_):
        raise WarmrouteError("Telemetry: You may not.")

    never.series = refuse
    telemetry = _run(Time(), PromqlObserver(never, "bot", clock=Time().clock))
    assert telemetry.unavailable["requests"] == "Telemetry: You may not."


@pytest.mark.parametrize(
    ("present", "figure", "name"),
    [
        (["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"], "kv_cache_usage", "vllm:kv_cache_usage_perc"),
        (["vllm_gpu_cache_usage_perc"], "kv_cache_usage", "vllm_gpu_cache_usage_perc"),
        (["KVCacheUtilization"], "kv_cache_usage", "KVCacheUtilization"),
        (["vllm:prefix_cache_hits"], "hit_tokens", "vllm:prefix_cache_hits"),
        (["vllm:prefix_cache_hits_rate", "hits"], "hit_tokens", None),
    ],
)
def test_names_are_found_and_never_guessed(present, figure, name):
    assert discovered(present).get(figure) == name
