"""Probes of boto3: does it know prefix-aware routing, and do its parts go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.doctor.diagnosis import ok, problem
from warmroute.doctor.requirements import OURS, required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine


def routing_in_botocore(machine: Machine) -> Iterator[Diagnosis]:
    """Whether botocore, as it is imported, knows PREFIX_AWARE and PrefixAwareId."""
    import botocore

    # The release of boto3 that warmroute names is botocore's too: both have the same numbers.
    needed = next((each.specifier for each in required(machine, OURS) if each.name == "boto3"), None)
    found = str(botocore.__version__)
    upgrade = f"Run: pip install --upgrade 'boto3{needed or ''}'"
    if needed is not None and not needed.contains(found, prereleases=True):
        yield problem(
            "botocore", f"{found} does not know PREFIX_AWARE routing, which came with botocore{needed}.", upgrade
        )
        return
    if missing := _missing_from_models():
        yield problem(
            "botocore",
            f"{found} should know PREFIX_AWARE routing, but {missing} is missing from the models that it loads.",
            "Look for older models of sagemaker in ~/.aws/models and AWS_DATA_PATH.",
        )
        return
    yield ok("botocore", f"{found} knows PREFIX_AWARE routing.")


def same_release(machine: Machine) -> Iterator[Diagnosis]:
    """Whether boto3 and its helpers are content with this botocore; aiobotocore often holds it back."""
    found = machine.version("botocore")
    if found is None:
        return
    for name in ("boto3", "s3transfer", "aiobotocore"):
        for each in required(machine, name):
            if each.name == "botocore" and not each.specifier.contains(found, prereleases=True):
                yield problem(
                    name,
                    f"{machine.version(name)} needs botocore{each.specifier}, and {found} is installed.",
                    f"Run: pip install --upgrade {name} 'botocore{each.specifier}'",
                )


def _missing_from_models() -> str:
    """What the service models lack, as botocore loads them."""
    import botocore.session

    session: Any = botocore.session.Session()
    if "PREFIX_AWARE" not in session.get_service_model("sagemaker").shape_for("RoutingStrategy").enum:
        return "PREFIX_AWARE"
    call = session.get_service_model("sagemaker-runtime").operation_model("InvokeEndpoint")
    return "" if "PrefixAwareId" in call.input_shape.members else "PrefixAwareId"
