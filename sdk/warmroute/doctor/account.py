"""Probes of AWS's settings: credentials and region, found without asking anybody on the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.doctor.diagnosis import ok, problem, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine
    from warmroute.hosting import EndpointSpec

_IN_FILES = ("env", "shared-credentials-file", "config-file")
"""botocore's ways to find credentials that read variables and files alone; the others ask somebody or run something."""

_IN_PROFILE = {
    "role_arn": "a role to assume",
    "web_identity_token_file": "a role for a web identity",
    "sso_session": "IAM Identity Center",
    "sso_start_url": "IAM Identity Center",
    "login_session": "aws login",
    "credential_process": "a program that prints them",
}
"""What a profile says of credentials that are had from elsewhere."""

_IN_VARIABLES = {
    "AWS_WEB_IDENTITY_TOKEN_FILE": "a role for a web identity",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "the role of the container",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "the role of the container",
}

_LOCAL_KEY = "local"
_NONE = "none are found; on AWS's own machines the role of the machine serves."
_GET_SOME = (
    "Run aws configure or set AWS_PROFILE; for warmroute local, "
    f"AWS_ACCESS_KEY_ID={_LOCAL_KEY} AWS_SECRET_ACCESS_KEY={_LOCAL_KEY}."
)


def credentials(machine: Machine) -> Iterator[Diagnosis]:
    """Whether there are credentials, and where they come from; their values are not shown."""
    from botocore.exceptions import BotoCoreError

    try:
        session = _session()
        profile = session.get_scoped_config()
        found = _in_files(session)
    except BotoCoreError as error:
        yield problem("credentials", f"{str(error).rstrip('.')}.", "Check the AWS_… variables and ~/.aws.")
        return
    source = _elsewhere(profile, machine.environment)
    if found is not None:
        method, access_key = found
        yield from _found(machine, method, access_key)
    elif source:
        yield ok("credentials", f"from {source}; not asked for here, --online does.")
    else:
        yield warning("credentials", _NONE, _GET_SOME)


def region(machine: Machine, spec: EndpointSpec | None = None) -> Iterator[Diagnosis]:
    """Whether clients have a region, and one that there is.

    Args:
        machine: What is looked at.
        spec: A spec, whose region is enough for warmroute.
    """
    from botocore.exceptions import BotoCoreError

    try:
        session = _session()
        name = session.get_config_variable("region")
        known = [
            each
            for part in session.get_available_partitions()
            for each in session.get_available_regions("sagemaker", part)
        ]
    except BotoCoreError:
        return  # The profile is at fault, which the probe of the credentials tells.
    if name in known:
        yield ok("region", f"{name}.")
    elif name:
        yield warning("region", f"{name} is none where botocore knows SageMaker.", "Check its spelling: us-east-1.")
    elif other := machine.environment.get("AWS_REGION"):
        yield warning(
            "region",
            f"AWS_REGION is {other}, which warmroute reads, but boto3 does not.",
            f"For clients of your own: export AWS_DEFAULT_REGION={other}",
        )
    elif spec is not None and spec.region is not None:
        yield ok("region", f"{spec.region}, the spec's; clients of your own need one too: AWS_DEFAULT_REGION.")
    else:
        yield warning("region", "none is set.", "Set region in the spec, AWS_DEFAULT_REGION, or a profile's region.")


def _found(machine: Machine, method: str, access_key: str) -> Iterator[Diagnosis]:
    environment = machine.environment
    name = environment.get("AWS_PROFILE") or environment.get("AWS_DEFAULT_PROFILE") or "default"
    where = "from the environment" if method == "env" else f"from profile {name} in a file"
    if access_key == _LOCAL_KEY and not any(each.startswith("AWS_ENDPOINT_URL") for each in environment):
        yield warning(
            "credentials",
            f"the keys of the local endpoint, {where}; calls go to AWS, which does not know them.",
            "Set AWS_ENDPOINT_URL as well, or unset AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        )
    else:
        yield ok("credentials", f"{where}.")


def _in_files(session: Any) -> tuple[str, str] | None:
    """How credentials were found, and their access key."""
    for provider in session.get_component("credential_provider").providers:
        if provider.METHOD in _IN_FILES and (found := provider.load()) is not None:
            return provider.METHOD, str(found.access_key)
    return None


def _elsewhere(profile: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    named = [words for name, words in _IN_PROFILE.items() if profile.get(name)]
    named += [words for name, words in _IN_VARIABLES.items() if environment.get(name)]
    return named[0] if named else ""


def _session() -> Any:
    import botocore.session

    return botocore.session.Session()
