"""Probes that ask AWS: who the credentials are, what they may look at, and what time it is there."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from warmroute.doctor.diagnosis import ok, problem, warning
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy.account.aws import Aws
    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine
    from warmroute.hosting import EndpointSpec

LARGEST_SKEW_SECONDS = 300.0
"""What a signature's time may differ from AWS's. Source: AWS's Signature Version 4."""

LOOKS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("sagemaker", "list_endpoints", {"MaxResults": 1}),
    ("application-autoscaling", "describe_scalable_targets", {"ServiceNamespace": "sagemaker", "MaxResults": 1}),
    ("cloudwatch", "describe_alarms", {"MaxRecords": 1}),
    ("service-quotas", "list_service_quotas", {"ServiceCode": "sagemaker", "MaxResults": 1}),
)
"""Calls that change nothing, one for each service that a plan and an apply look at."""


def online(machine: Machine, spec: EndpointSpec | None = None) -> Iterator[Diagnosis]:
    """What the account says: its identity, the clock, and the permissions to look.

    Args:
        machine: The machine.
        spec: Whose region is asked; otherwise that of the environment.
    """
    from warmroute.deploy.account.aws import Aws, default_session, region_of

    try:
        session = default_session()
        aws = Aws(session, region_of(spec, session))
        answer = aws.call("sts", "get_caller_identity")
    except DeploymentError as error:
        yield problem("account", error.message, error.remedy)
        return
    yield ok("account", f"{answer['Account']} in {aws.region}, as {answer['Arn']}.")
    yield from skew(machine.now, answer["ResponseMetadata"]["HTTPHeaders"].get("date"))
    yield from permissions(aws)


def skew(now: float, date: str | None) -> Iterator[Diagnosis]:
    """How far this clock is from AWS's.

    Args:
        now: This one, in seconds since 1970.
        date: AWS's, as HTTP writes it; None where it does not say.
    """
    if date is None:
        return
    seconds = now - parsedate_to_datetime(date).timestamp()
    if abs(seconds) > LARGEST_SKEW_SECONDS:
        ahead = "ahead of" if seconds > 0 else "behind"
        yield problem(
            "clock",
            f"it is {abs(seconds) / 60:,.0f} minutes {ahead} AWS's, which refuses calls beyond 5.",
            "Set it: sudo timedatectl set-ntp true",
        )
    else:
        yield ok("clock", f"within {abs(seconds):.0f} s of AWS's.")


def permissions(aws: Aws) -> Iterator[Diagnosis]:
    """Whether the credentials may look at what a plan and an apply look at.

    Args:
        aws: The account.
    """
    refused = 0
    for service, operation, parameters in LOOKS:
        try:
            aws.call(service, operation, **parameters)
        except DeploymentError as error:
            refused += 1
            yield warning(f"permission {service}", error.message, error.remedy)
    if not refused:
        yield ok("permissions", f"{', '.join(service for service, *_ in LOOKS)} can be looked at.")
