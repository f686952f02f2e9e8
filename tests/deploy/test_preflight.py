"""What is found before anything is changed, against an account in this process."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from warmroute.deploy.plan import InstanceCount
from warmroute.deploy.preflight.preflight import preflight
from warmroute.errors import Finding, Severity
from warmroute.hosting import EndpointSpec
from warmroute.local.control import Clock, Durations, install

if TYPE_CHECKING:
    from collections.abc import Iterator

REGION = "us-east-1"
ROLE = "arn:aws:iam::123456789012:role/service/sagemaker"
IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/vllm:1"
MANIFEST = '{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json"}'
P5 = "ml.p5.48xlarge"


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[boto3.Session]:
    install(clock=Clock(speed=0), durations=Durations())
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with mock_aws():
        session = boto3.Session("key", "secret", region_name=REGION)
        session.client("iam").create_role(RoleName="sagemaker", Path="/service/", AssumeRolePolicyDocument="{}")
        yield session


def spec(**fields: Any) -> EndpointSpec:
    variant = {"name": "main", "instance_type": P5, "initial_instance_count": 4}
    model = {"source": {"hugging_face": "meta-llama/Llama-3.1-8B-Instruct"}}
    values = {"name": "chat", "execution_role_arn": ROLE, "model": model, "variants": [variant]}
    return EndpointSpec.parse({**values, **fields})


def with_image(uri: str) -> EndpointSpec:
    return spec(model={"source": {"hugging_face": "a/b"}, "image": {"uri": uri}})


def answer_quotas(session: boto3.Session, *pages: dict[str, float], defaults: dict[str, float] | None = None) -> None:
    """Let Service Quotas list these quotas, page after page; each page also holds one that nobody asked for."""

    def answered(listed: tuple[dict[str, float], ...]) -> Any:
        def answer(params: dict[str, Any], **_: Any) -> Any:
            page = int(json.loads(params["body"]).get("NextToken", 0))
            quotas = [
                {"QuotaName": f"{name} for endpoint usage", "Value": value} for name, value in listed[page].items()
            ]
            body = {"Quotas": [{"QuotaName": f"{P5} for training job usage", "Value": 99.0}, *quotas]}
            more = {"NextToken": str(page + 1)} if page + 1 < len(listed) else {}
            return SimpleNamespace(status_code=200), {**body, **more}

        return answer

    events = session.events
    events.register("before-call.service-quotas.ListServiceQuotas", answered(pages or ({},)))
    events.register("before-call.service-quotas.ListAWSDefaultServiceQuotas", answered((defaults or {},)))


def deny(session: boto3.Session, service: str, operation: str) -> None:
    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not authorized"}}, operation)

    session.events.register(f"before-call.{service}.{operation}", refuse)


def count(now: int = 0, peak: int = 4, after: int = 4, most: int = 4) -> list[InstanceCount]:
    return [InstanceCount(P5, now=now, peak=peak, after=after, most=most)]


def found(session: boto3.Session, of: EndpointSpec, instances: list[InstanceCount] | None = None) -> list[Finding]:
    return list(preflight(of, session, REGION, peak=instances or []))


def ids(findings: list[Finding]) -> list[str]:
    return [finding.id for finding in findings]


def test_what_can_be_deployed_has_no_findings(session: boto3.Session) -> None:
    answer_quotas(session, {P5: 4})

    assert found(session, spec(), count()) == []


@pytest.mark.parametrize(
    ("quota", "instances", "expected"),
    [
        (0, count(), ["WR801"]),
        (3, count(), ["WR801"]),
        (4, count(most=9), ["WR802"]),
        (9, count(most=9), []),
        (7, count(now=4, peak=8), ["WR801"]),
        (8, count(now=4, peak=8), []),
        (2, count(now=4), []),
    ],
    ids=["zero", "too few", "scaling", "enough", "blue/green", "blue/green fits", "nothing starts"],
)
def test_quotas_against_the_peak(
    session: boto3.Session, quota: int, instances: list[InstanceCount], expected: list[str]
) -> None:
    answer_quotas(session, {"ml.g5.xlarge": 50}, {P5: quota})

    assert ids(found(session, spec(), instances)) == expected


def test_a_quota_that_is_too_small_says_where_how_much_and_what_to_do(session: boto3.Session) -> None:
    answer_quotas(session, {P5: 6})

    (finding,) = found(session, spec(), count(now=4, peak=8))

    assert finding.severity is Severity.ERROR
    assert str(finding) == (
        "variants[0].instance_type: This change needs up to 8 ml.p5.48xlarge at a time, but the quota "
        "'ml.p5.48xlarge for endpoint usage' in us-east-1 is 6. Ask Service Quotas for at least 8 before you deploy. "
        "A rolling update needs fewer at a time than blue/green."
    )


def test_the_default_quota_holds_where_the_account_has_none(session: boto3.Session) -> None:
    answer_quotas(session, {}, defaults={P5: 0})

    assert ids(found(session, spec(), count())) == ["WR801"]


def test_instances_of_other_endpoints_use_the_quota_too(session: boto3.Session) -> None:
    client = session.client("sagemaker")
    client.create_model(ModelName="m", PrimaryContainer={"Image": "x"}, ExecutionRoleArn=ROLE)
    variant = {"VariantName": "v", "ModelName": "m", "InstanceType": P5, "InitialInstanceCount": 3}
    client.create_endpoint_config(EndpointConfigName="c", ProductionVariants=[variant])
    for name in ("other", "chat"):  # The endpoint's own instances are part of the peak already.
        client.create_endpoint(EndpointName=name, EndpointConfigName="c")
    answer_quotas(session, {P5: 6})

    (finding,) = found(session, spec(), count())

    assert "is 6, of which other endpoints use 3" in finding.message
    assert "at least 7" in finding.remedy


def test_a_type_without_a_quota_is_not_known_to_be_there(session: boto3.Session) -> None:
    answer_quotas(session, {"ml.g5.xlarge": 1})

    (finding,) = found(session, spec(), count())

    assert (finding.id, finding.severity) == ("WR899", Severity.WARNING)
    assert "whether us-east-1 has ml.p5.48xlarge" in finding.message


def test_a_role_that_does_not_exist(session: boto3.Session) -> None:
    (finding,) = found(session, spec(execution_role_arn=ROLE + "-old"))

    assert (finding.id, finding.severity, finding.path) == ("WR803", Severity.ERROR, "execution_role_arn")


def test_a_permission_that_is_missing_is_a_note_and_no_error(session: boto3.Session) -> None:
    deny(session, "iam", "GetRole")
    deny(session, "service-quotas", "ListServiceQuotas")

    (finding,) = found(session, spec(execution_role_arn=ROLE + "-old"), count())

    assert (finding.id, finding.severity) == ("WR899", Severity.WARNING)
    for named in ("quotas of ml.p5.48xlarge", "role sagemaker-old", "AccessDeniedException"):
        assert named in finding.message


def test_own_images_must_exist(session: boto3.Session) -> None:
    assert ids(found(session, with_image(IMAGE))) == ["WR804"]

    session.client("ecr").create_repository(repositoryName="vllm")
    (finding,) = found(session, with_image(IMAGE))
    assert (finding.id, finding.path) == ("WR804", "model.image.uri")

    session.client("ecr").put_image(repositoryName="vllm", imageManifest=MANIFEST, imageTag="1")
    assert found(session, with_image(IMAGE)) == []


def test_an_image_of_another_region_cannot_be_pulled(session: boto3.Session) -> None:
    assert ids(found(session, with_image(IMAGE.replace("us-east-1", "eu-west-1")))) == ["WR804"]


@pytest.mark.parametrize("uri", [IMAGE.replace("123456789012", "210987654321"), "vllm/vllm-openai:latest"])
def test_images_of_others_are_not_asked_for(session: boto3.Session, uri: str) -> None:
    assert ids(found(session, with_image(uri))) == ["WR899"]


@pytest.mark.parametrize(
    ("source", "key"),
    [({"s3_prefix": "s3://weights/llama/"}, "llama/a.bin"), ({"s3_archive": "s3://weights/m.tar.gz"}, "m.tar.gz")],
)
def test_artefacts_must_exist(session: boto3.Session, source: dict[str, str], key: str) -> None:
    of = spec(model={"source": source})
    s3 = session.client("s3")
    assert ids(found(session, of)) == ["WR805"]

    s3.create_bucket(Bucket="weights")
    (finding,) = found(session, of)
    assert (finding.id, finding.path) == ("WR805", f"model.source.{next(iter(source))}")

    s3.put_object(Bucket="weights", Key=key, Body=b"x")
    assert found(session, of) == []


def test_alarms_must_exist_and_be_quiet(session: boto3.Session) -> None:
    policy = {"traffic_routing_configuration": {"type": "ALL_AT_ONCE", "wait_interval_in_seconds": 60}}
    rollback = {"alarms": [{"alarm_name": "latency"}]}
    of = spec(deployment_config={"blue_green_update_policy": policy, "auto_rollback_configuration": rollback})
    (finding,) = found(session, of)
    path = "deployment_config.auto_rollback_configuration.alarms[0].alarm_name"
    assert (finding.id, finding.path) == ("WR807", path)

    cloudwatch = session.client("cloudwatch")
    cloudwatch.put_metric_alarm(
        AlarmName="latency", EvaluationPeriods=1, ComparisonOperator="GreaterThanThreshold", Threshold=1
    )
    cloudwatch.set_alarm_state(AlarmName="latency", StateValue="OK", StateReason="test")
    assert found(session, of) == []

    cloudwatch.set_alarm_state(AlarmName="latency", StateValue="ALARM", StateReason="test")
    (finding,) = found(session, of)
    assert (finding.id, finding.severity) == ("WR808", Severity.WARNING)


def test_a_bucket_that_requests_would_be_recorded_in_must_exist(session: boto3.Session) -> None:
    recording = {
        "initial_sampling_percentage": 10,
        "destination_s3_uri": "s3://captures/chat",
        "capture_options": [{"capture_mode": "Input"}],
    }
    of = spec(data_capture_config=recording)
    (finding,) = found(session, of)
    assert (finding.id, finding.severity) == ("WR806", Severity.WARNING)
    assert finding.message == "There is no bucket captures, so nothing would be written to it."

    session.client("s3").create_bucket(Bucket="captures")
    assert found(session, of) == []


@pytest.mark.parametrize(
    ("denied", "about"),
    [
        (("sts", "GetCallerIdentity"), f"image {IMAGE}"),
        (("s3", "ListObjectsV2"), "s3://weights/llama/"),
        (("cloudwatch", "DescribeAlarms"), "alarms"),
        (("sagemaker", "DescribeEndpoint"), "instances of endpoint other"),
        (("sagemaker", "DescribeEndpointConfig"), "instances of endpoint other"),
    ],
)
def test_what_may_not_be_asked_is_noted_and_the_rest_is_looked_at(
    session: boto3.Session, denied: tuple[str, str], about: str
) -> None:
    policy = {"traffic_routing_configuration": {"type": "ALL_AT_ONCE", "wait_interval_in_seconds": 60}}
    rollback = {"alarms": [{"alarm_name": "latency"}]}
    of = spec(
        model={"source": {"s3_prefix": "s3://weights/llama/"}, "image": {"uri": IMAGE}},
        deployment_config={"blue_green_update_policy": policy, "auto_rollback_configuration": rollback},
    )
    session.client("s3").create_bucket(Bucket="weights")
    client = session.client("sagemaker")
    client.create_model(ModelName="m", PrimaryContainer={"Image": "x"}, ExecutionRoleArn=ROLE)
    variant = {"VariantName": "v", "ModelName": "m", "InstanceType": P5, "InitialInstanceCount": 3}
    client.create_endpoint_config(EndpointConfigName="c", ProductionVariants=[variant])
    client.create_endpoint(EndpointName="other", EndpointConfigName="c")
    answer_quotas(session, {P5: 100})
    allowed = set(ids(found(session, of, count())))

    deny(session, *denied)
    (note,) = (finding for finding in found(session, of, count()) if finding.id == "WR899")

    assert allowed == {"WR804", "WR805", "WR807"}
    assert about in note.message
    assert "AccessDenied" in note.message


def test_of_a_great_many_endpoints_not_all_are_counted(session: boto3.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmroute.deploy.preflight.quotas.MAX_ENDPOINTS_COUNTED", 1)
    client = session.client("sagemaker")
    client.create_model(ModelName="m", PrimaryContainer={"Image": "x"}, ExecutionRoleArn=ROLE)
    variant = {"VariantName": "v", "ModelName": "m", "InstanceType": P5, "InitialInstanceCount": 3}
    client.create_endpoint_config(EndpointConfigName="c", ProductionVariants=[variant])
    for name in ("one", "other"):
        client.create_endpoint(EndpointName=name, EndpointConfigName="c")
    answer_quotas(session, {P5: 7})

    (note,) = found(session, spec(), count())

    assert (note.id, "only 1 of them were counted" in note.message) == ("WR899", True)


def test_errors_come_first(session: boto3.Session) -> None:
    deny(session, "ecr", "DescribeImages")
    of = spec(model={"source": {"s3_archive": "s3://nowhere/m.tar.gz"}, "image": {"uri": IMAGE}})

    assert ids(found(session, of)) == ["WR805", "WR899"]


def test_the_local_endpoint_is_asked_nothing(session: boto3.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:8080")
    local = boto3.Session("key", "secret", region_name=REGION)

    assert found(local, spec(execution_role_arn=ROLE + "-old"), count()) == []
