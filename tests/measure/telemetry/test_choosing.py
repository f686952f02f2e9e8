"""Which observers an endpoint gets."""

from __future__ import annotations

from types import SimpleNamespace

import boto3
import pytest

from warmroute.measure.telemetry import CloudWatchObserver, PromqlObserver, observer_of
from warmroute.measure.telemetry.sampling import SamplingObserver


class Session:
    """A session whose endpoint has these variants; None where it cannot be described."""

    region_name = "us-east-1"

    def __init__(self, variants):
        self._variants = variants

    def client(self, name, region_name=None):
        return self if name == "sagemaker" else object()

    @property
    def meta(self):
        return SimpleNamespace(endpoint_url="https://api.sagemaker.us-east-1.amazonaws.com")

    def describe_endpoint(self, EndpointName):  # noqa: N803 - as boto3 has it.
        if self._variants is None:
            raise boto3.client(
                "sagemaker", "us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
            ).exceptions.ClientError({"Error": {"Code": "ValidationException"}}, "DescribeEndpoint")
        return {"ProductionVariants": self._variants}


def _variant(name, threshold=None):
    routing = {"PrefixAwareRoutingConfig": {"ConcurrencyThreshold": threshold}} if threshold else {}
    return {"VariantName": name, "RoutingConfig": {"RoutingStrategy": "PREFIX_AWARE", **routing}}


@pytest.mark.parametrize(
    ("variants", "wanted", "kinds", "threshold"),
    [
        ([_variant("main", 16)], "", [PromqlObserver, CloudWatchObserver], 16),
        ([_variant("main")], "main", [PromqlObserver, CloudWatchObserver], None),
        ([_variant("a", 4), _variant("b", 8)], "b", [PromqlObserver, CloudWatchObserver], 8),
        ([_variant("a", 4), _variant("b", 8)], "", [PromqlObserver], None),
        (None, "main", [PromqlObserver, CloudWatchObserver], None),
    ],
)
def test_on_sagemaker_it_is_cloudwatch(variants, wanted, kinds, threshold):
    observer = observer_of(Session(variants), "bot", wanted)
    assert [type(each) for each in observer._observers] == kinds
    assert {each._threshold for each in observer._observers} == {threshold}


def test_on_this_machine_it_is_the_endpoint_itself():
    observer = observer_of(Session(None), "bot", local_url="http://localhost:8333")
    assert [type(each) for each in observer._observers] == [SamplingObserver]


def test_a_session_whose_calls_stay_on_this_machine_is_not_asked_for_cloudwatch(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:8333")
    observer = observer_of(boto3.Session("key", "secret", region_name="us-east-1"), "bot")
    assert [type(each) for each in observer._observers] == [SamplingObserver]
