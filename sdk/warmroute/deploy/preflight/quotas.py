"""Whether the account may run as many instances as a deployment needs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from warmroute.errors import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warmroute.deploy.plan import InstanceCount
    from warmroute.deploy.preflight.questions import Questions
    from warmroute.hosting import EndpointSpec

QUOTA_NAME = "{} for endpoint usage"
"""Name of the quota of an instance type's instances over all endpoints. Source: Service Quotas, service sagemaker."""

MAX_ENDPOINTS_COUNTED = 50
"""Other endpoints of the account whose instances are counted; each needs two calls."""

_SOURCE = "Service Quotas"


def quota_findings(
    spec: EndpointSpec, questions: Questions, region: str, peak: Sequence[InstanceCount]
) -> Iterator[Finding]:
    """Instance types of which the account may not run enough.

    Args:
        spec: What is to be deployed.
        questions: To the account.
        region: AWS region of the endpoint.
        peak: Instances by type: now, at the peak of the change, and as far as scaling may go.
    """
    growing = [each for each in peak if max(each.peak, each.most) > each.now]
    if not growing:
        return
    quotas = _quotas(questions, {each.instance_type for each in growing})
    known = [each for each in growing if each.instance_type in quotas]
    others = _others(questions, spec.name) if known else Counter()
    for count in known:
        yield from _findings(count, quotas[count.instance_type], others[count.instance_type], region, spec)
    unknown = sorted({each.instance_type for each in growing} - quotas.keys())
    if unknown and not questions.unanswered:
        questions.note(f"whether {region} has {', '.join(unknown)}", "Service Quotas lists no quota for endpoints")


def _findings(count: InstanceCount, quota: int, others: int, region: str, spec: EndpointSpec) -> Iterator[Finding]:
    path = _path(spec, count.instance_type)
    allowed = f"the quota '{QUOTA_NAME.format(count.instance_type)}' in {region} is {quota:,}"
    if others:
        allowed += f", of which other endpoints use {others:,}"
    remedy = f"Ask Service Quotas for at least {others + max(count.peak, count.most):,} before you deploy."
    if count.peak > count.now and others + count.peak > quota:
        message = f"This change needs up to {count.peak:,} {count.instance_type} at a time, but {allowed}."
        if count.peak > count.after:
            remedy += " A rolling update needs fewer at a time than blue/green."
        yield Finding("WR801", Severity.ERROR, path, message, remedy, _SOURCE)
    elif count.most > count.now and others + count.most > quota:
        message = f"Scaling may go up to {count.most:,} {count.instance_type}, but {allowed}."
        yield Finding("WR802", Severity.WARNING, path, message, f"{remedy} Or lower the limit of the scaling.", _SOURCE)


def _path(spec: EndpointSpec, instance_type: str) -> str:
    for family in ("variants", "shadow_variants"):
        for position, variant in enumerate(getattr(spec, family) or ()):
            if instance_type in variant.instance_types:
                field = "instance_pools" if variant.instance_pools else "instance_type"
                return f"{family}[{position}].{field}"
    return ""


def _quotas(questions: Questions, types: set[str]) -> dict[str, int]:
    """The quota of each type, where Service Quotas lists one: the account's, or else AWS's default."""
    names = {QUOTA_NAME.format(each): each for each in types}
    found: dict[str, int] = {}
    for operation in ("list_service_quotas", "list_aws_default_service_quotas"):
        about = f"quotas of {', '.join(sorted(types))}"
        pages = questions.pages(about, "service-quotas", operation, "Quotas", ServiceCode="sagemaker", MaxResults=100)
        for page in pages:
            if page is None:
                return found
            for quota in page:
                if quota.get("QuotaName") in names:
                    found.setdefault(names[quota["QuotaName"]], int(quota["Value"]))
            if len(found) == len(types):
                return found
    return found


def _others(questions: Questions, name: str) -> Counter[str]:
    """Instances that the account's other endpoints have, or are about to have, by type."""
    about, counts, seen = "instances of other endpoints", Counter[str](), 0
    for page in questions.pages(about, "sagemaker", "list_endpoints", "Endpoints", MaxResults=100):
        for endpoint in page or ():
            if endpoint["EndpointName"].lower() == name.lower():
                continue
            if seen == MAX_ENDPOINTS_COUNTED:
                questions.note(about, f"only {MAX_ENDPOINTS_COUNTED} of them were counted")
                return counts
            seen += 1
            described = questions.ask(
                f"instances of endpoint {endpoint['EndpointName']}",
                "sagemaker",
                "describe_endpoint",
                EndpointName=endpoint["EndpointName"],
            )
            if described is not None:
                _count(questions, described, counts)
    return counts


def _count(questions: Questions, endpoint: dict[str, Any], counts: Counter[str]) -> None:
    config = questions.ask(
        f"instances of endpoint {endpoint['EndpointName']}",
        "sagemaker",
        "describe_endpoint_config",
        EndpointConfigName=endpoint["EndpointConfigName"],
    )
    if config is None:
        return
    running = {each["VariantName"]: each for each in endpoint.get("ProductionVariants", ())}
    for variant in config["ProductionVariants"]:
        state = running.get(variant["VariantName"], {})
        pools = state.get("InstancePools") or ()
        for pool in pools:
            counts[pool["InstanceType"]] += pool.get("CurrentInstanceCount", 0)
        if not pools and "InstanceType" in variant:
            wanted = max(state.get("CurrentInstanceCount", 0), state.get("DesiredInstanceCount", 0))
            counts[variant["InstanceType"]] += wanted or variant.get("InitialInstanceCount", 0)
