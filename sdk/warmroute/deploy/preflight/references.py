"""Whether what a spec refers to exists in the account: roles, images, artefacts, alarms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.errors import Finding, Severity
from warmroute.rules import join_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy.preflight.questions import Questions
    from warmroute.hosting import EndpointSpec


class Reference(NamedTuple):
    """Something outside of a spec that the spec names."""

    path: str
    """Where it is named."""

    field: str
    value: str


def references(spec: EndpointSpec) -> tuple[Reference, ...]:
    """Everything that a spec names and does not make, in the order of the document.

    Args:
        spec: The spec.
    """
    return tuple(_references(spec.model_dump(exclude_none=True), ""))


def reference_findings(spec: EndpointSpec, questions: Questions, region: str) -> Iterator[Finding]:
    """What a spec names and the account does not have.

    Args:
        spec: What is to be deployed.
        questions: To the account.
        region: AWS region of the endpoint.
    """
    found: dict[tuple[str, str], Reference] = {}
    for each in references(spec):
        found.setdefault((each.field, each.value), each)
    by_field: dict[str, list[Reference]] = {}
    for each in found.values():
        by_field.setdefault(each.field, []).append(each)
    for role in by_field.get("execution_role_arn", ()):
        yield from _role(role, questions)
    for image in (*by_field.get("uri", ()), *by_field.get("image", ())):
        yield from _image(image, questions, region)
    for field in _ARTEFACTS:
        for artefact in by_field.get(field, ()):
            yield from _artefact(artefact, questions)
    for target in by_field.get("destination_s3_uri", ()):
        yield from _bucket(target, questions)
    yield from _alarms(by_field.get("alarm_name", []), questions, region)


_ARTEFACTS = ("s3_prefix", "s3_archive", "model_data_url", "s3_uri", "artifact_url", "manifest_s3_uri")
_NAMED = {"execution_role_arn", "uri", "image", *_ARTEFACTS, "destination_s3_uri", "alarm_name"}
_MISSING_IN_S3 = frozenset({"404", "NoSuchBucket", "NoSuchKey", "NotFound"})
_ECR = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.[a-z0-9.-]+/"
    r"(?P<repository>[^:@]+)(?::(?P<tag>[^@]+))?(?:@(?P<digest>.+))?"
)


def _references(value: Any, path: str) -> Iterator[Reference]:
    if isinstance(value, dict):
        for key, item in value.items():
            where = join_path(path, key)
            if key in _NAMED and isinstance(item, str):
                yield Reference(where, key, item)
            elif key != "environment":
                yield from _references(item, where)
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from _references(item, join_path(path, position))


def _error(id_: str, reference: Reference, message: str, remedy: str, source: str) -> Finding:
    return Finding(id_, Severity.ERROR, reference.path, message, remedy, source)


def _role(role: Reference, questions: Questions) -> Iterator[Finding]:
    name = role.value.rpartition("/")[2]
    about = f"role {name}"
    if not questions.exists(about, frozenset({"NoSuchEntity"}), "iam", "get_role", RoleName=name):
        message = f"The account has no role {role.value}."
        remedy = "Make the role, or name one that sagemaker.amazonaws.com may assume."
        yield _error("WR803", role, message, remedy, "IAM GetRole")


def _image(image: Reference, questions: Questions, region: str) -> Iterator[Finding]:
    parts = _ECR.fullmatch(image.value)
    if parts is None:
        questions.note(f"image {image.value}", "it is not in Amazon ECR")
        return
    if parts["region"] != region:
        message = f"The image is in {parts['region']}, and the endpoint in {region}."
        yield _error("WR804", image, message, "Copy the image to the endpoint's region.", "SageMaker CreateModel")
        return
    about = f"image {image.value}"
    identity = questions.ask(about, "sts", "get_caller_identity")
    if identity is None:
        return
    if identity["Account"] != parts["account"]:
        questions.note(about, f"its registry belongs to account {parts['account']}")
        return
    key, value = ("imageDigest", parts["digest"]) if parts["digest"] else ("imageTag", parts["tag"] or "latest")
    missing = frozenset({"RepositoryNotFoundException", "ImageNotFoundException"})
    looked_for: dict[str, Any] = {"repositoryName": parts["repository"], "imageIds": [{key: value}]}
    if not questions.exists(about, missing, "ecr", "describe_images", **looked_for):
        message = f"Amazon ECR has no image {image.value}."
        yield _error("WR804", image, message, "Push the image, or correct its name or tag.", "ECR DescribeImages")


def _artefact(artefact: Reference, questions: Questions) -> Iterator[Finding]:
    bucket, _, key = artefact.value.removeprefix("s3://").partition("/")
    about = artefact.value
    if not artefact.value.startswith("s3://"):
        questions.note(about, "it is not an s3:// address")
        return
    if artefact.field in {"s3_prefix", "s3_uri"}:  # Of S3Uri, only S3DataType says which; a prefix covers both.
        yield from _prefix(artefact, questions, bucket, key)
    elif not questions.exists(about, _MISSING_IN_S3, "s3", "head_object", Bucket=bucket, Key=key):
        yield _error("WR805", artefact, f"S3 has no object {about}.", "Upload it first.", "S3 HeadObject")


def _prefix(artefact: Reference, questions: Questions, bucket: str, key: str) -> Iterator[Finding]:
    if not questions.exists(f"bucket {bucket}", _MISSING_IN_S3, "s3", "head_bucket", Bucket=bucket):
        yield _error("WR805", artefact, f"There is no bucket {bucket}.", "Correct the address.", "S3 HeadBucket")
        return
    about = artefact.value
    answer = questions.ask(about, "s3", "list_objects_v2", Bucket=bucket, Prefix=key, MaxKeys=1)
    if answer is not None and not answer.get("KeyCount"):
        yield _error("WR805", artefact, f"Nothing in S3 is under {about}.", "Upload it first.", "S3 ListObjectsV2")


def _bucket(target: Reference, questions: Questions) -> Iterator[Finding]:
    bucket = target.value.partition("://")[2].partition("/")[0]
    if not questions.exists(f"bucket {bucket}", _MISSING_IN_S3, "s3", "head_bucket", Bucket=bucket):
        message = f"There is no bucket {bucket}, so nothing would be written to it."
        yield Finding("WR806", Severity.WARNING, target.path, message, "Make the bucket first.", "S3 HeadBucket")


def _alarms(alarms: list[Reference], questions: Questions, region: str) -> Iterator[Finding]:
    if not alarms:
        return
    names = [alarm.value for alarm in alarms]
    types = ["MetricAlarm", "CompositeAlarm"]
    answer = questions.ask("alarms", "cloudwatch", "describe_alarms", AlarmNames=names[:100], AlarmTypes=types)
    if answer is None:
        return
    states = {
        each["AlarmName"]: each.get("StateValue")
        for kind in ("MetricAlarms", "CompositeAlarms")
        for each in answer.get(kind, ())
    }
    for alarm in alarms:
        if alarm.value not in states:
            message = f"CloudWatch has no alarm {alarm.value} in {region}."
            remedy = "Make the alarm first; an update whose alarm does not exist is refused."
            yield _error("WR807", alarm, message, remedy, "CloudWatch DescribeAlarms")
        elif states[alarm.value] == "ALARM":
            message = f"Alarm {alarm.value} is in ALARM now, so an update would be rolled back at once."
            yield Finding("WR808", Severity.WARNING, alarm.path, message, "Wait until it is OK.", "AutoRollbackConfig")
