"""Which headers a container gets."""

from __future__ import annotations

import botocore.session

from warmroute.local.data.headers import _PASSED_ON, passed_on


def test_they_are_those_that_the_api_names():
    model = botocore.session.Session().get_service_model("sagemaker-runtime")
    named = {
        member.serialization["name"].lower()
        for member in model.operation_model("InvokeEndpoint").input_shape.members.values()
        if member.serialization.get("location") == "header"
    }
    assert set(_PASSED_ON) == named


def test_the_stream_s_own_accept_becomes_accept():
    headers = {"accept": "a", "x-amzn-sagemaker-accept": "b", "authorization": "secret", "user-agent": "boto3"}
    assert passed_on(headers, streams=False) == {"accept": "a"}
    assert passed_on(headers, streams=True) == {"accept": "b"}
