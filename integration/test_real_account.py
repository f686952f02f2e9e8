"""One deployment in a real account, only where ``WARMROUTE_AWS=1`` asks for it.

It needs boto3's credentials and region, and in ``WARMROUTE_AWS_ROLE`` the ARN of a role that SageMaker may assume, with
read access to S3 and pull access to Amazon ECR. It makes a bucket, and an endpoint with one ml.t2.medium (two while an
update is under way) for about half an hour. At 0.056 dollars an hour in us-east-1 that is less than 0.10 dollars. What
it made is deleted at the end, also after a failure, together with anything that an earlier, interrupted run has left.
"""

from __future__ import annotations

import io
import os
import tarfile
import uuid
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from warmroute.deploy import DeployedEndpoint, Deployment
from warmroute.hosting import EndpointSpec
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

IS_ASKED = os.environ.get("WARMROUTE_AWS") == "1"
ROLE = os.environ.get("WARMROUTE_AWS_ROLE", "")
# Read when the module is imported: every test has the environment of nobody.
SESSION = boto3.Session() if IS_ASKED else None
CREDENTIALS = SESSION.get_credentials() if SESSION else None

pytestmark = [
    pytest.mark.skipif(not IS_ASKED, reason="WARMROUTE_AWS is not 1: it would cost about 0.10 dollars"),
    pytest.mark.skipif(IS_ASKED and not ROLE, reason="WARMROUTE_AWS_ROLE names no role"),
]

PREFIX = "warmroute-test"
REGISTRIES = {"us-east-1": "683313688378", "us-east-2": "257758044811", "us-west-2": "246618743249"}
"""Accounts of AWS's scikit-learn image. Source: sagemaker-core image_uri_config/sklearn.json."""

PROGRAM = b"""
def model_fn(model_dir):
    return None


def predict_fn(data, model):
    return data
"""


@pytest.fixture
def session() -> Iterator[Any]:
    assert SESSION is not None
    assert CREDENTIALS is not None, "boto3 finds no credentials"
    kept = CREDENTIALS.get_frozen_credentials()
    session = boto3.Session(kept.access_key, kept.secret_key, kept.token, region_name=SESSION.region_name)
    if session.region_name not in REGISTRIES:
        pytest.skip(f"AWS's image is known in {', '.join(REGISTRIES)}")
    sweep(session)
    try:
        yield session
    finally:
        sweep(session)


def sweep(session: Any) -> None:
    """Delete every endpoint, configuration, model and bucket of these tests, whoever left it."""
    client = session.client("sagemaker")
    for page in client.get_paginator("list_endpoints").paginate(NameContains=PREFIX):
        for endpoint in page["Endpoints"]:
            if endpoint["EndpointName"].startswith(f"{PREFIX}-"):
                DeployedEndpoint(endpoint["EndpointName"], session, poll_seconds=15).destroy()
    for kind in ("endpoint_config", "model"):
        items, name = (
            ("EndpointConfigs", "EndpointConfigName") if kind == "endpoint_config" else ("Models", "ModelName")
        )
        for page in client.get_paginator(f"list_{kind}s").paginate(NameContains=PREFIX):
            for each in page[items]:
                if each[name].startswith(f"{PREFIX}-"):
                    getattr(client, f"delete_{kind}")(**{name: each[name]})
    for bucket in session.client("s3").list_buckets()["Buckets"]:
        if bucket["Name"].startswith(f"{PREFIX}-"):
            found = session.resource("s3").Bucket(bucket["Name"])
            found.objects.all().delete()
            found.delete()


def archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("code/inference.py")
        entry.size = len(PROGRAM)
        archive.addfile(entry, io.BytesIO(PROGRAM))
    return buffer.getvalue()


def test_an_endpoint_is_created_updated_rolled_back_and_destroyed(session: Any) -> None:
    region = session.region_name
    name = f"{PREFIX}-{uuid.uuid4().hex[:8]}"
    where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    session.client("s3").create_bucket(Bucket=name, **where)
    session.client("s3").put_object(Bucket=name, Key="model.tar.gz", Body=archive())
    image = f"{REGISTRIES[region]}.dkr.ecr.{region}.amazonaws.com/sagemaker-scikit-learn:1.2-1-cpu-py3"
    variables = {"SAGEMAKER_PROGRAM": "inference.py", "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code"}
    container = {"image": image, "model_data_url": f"s3://{name}/model.tar.gz", "environment": variables}
    spec = EndpointSpec.parse(
        {
            "name": name,
            "region": region,
            "execution_role_arn": ROLE,
            "model": {"primary_container": container},
            "variants": [{"name": "main", "instance_type": "ml.t2.medium", "initial_instance_count": 1}],
        }
    )

    assert Deployment(spec, session, poll_seconds=15).apply().result == "created"
    assert Deployment(spec, session).plan().is_empty
    runtime = session.client("sagemaker-runtime")
    request = {"EndpointName": name, "Body": b"[[1]]", "ContentType": "application/json"}
    assert runtime.invoke_endpoint(**request)["Body"].read()

    variant = spec.variants[0].model_copy(update={"routing_config": RoutingConfig.least_outstanding_requests()})
    changed = spec.model_copy(update={"variants": (variant,)})
    assert Deployment(changed, session, poll_seconds=15).apply().result == "updated"
    assert Deployment(changed, session).plan().is_empty

    deployed = DeployedEndpoint(name, session, poll_seconds=15)
    assert deployed.rollback().result == "updated"
    assert Deployment(spec, session).plan().is_empty
    assert Deployment(deployed.to_spec().spec, session).plan().is_empty

    assert name in deployed.destroy()
    assert deployed.destroy() == ()
