"""What is known to be wrong with a deployment before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.account.aws import Aws
from warmroute.deploy.preflight.questions import Questions
from warmroute.deploy.preflight.quotas import quota_findings
from warmroute.deploy.preflight.references import reference_findings
from warmroute.errors import Finding, Severity
from warmroute.loopback import local_endpoint_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boto3.session import Session

    from warmroute.deploy.plan import InstanceCount
    from warmroute.hosting import EndpointSpec


def preflight(
    spec: EndpointSpec, session: Session, region: str, *, peak: Sequence[InstanceCount]
) -> tuple[Finding, ...]:
    """Ask the account whether a deployment can succeed: quotas, roles, images, artefacts, alarms.

    An error is something that AWS will refuse. What cannot be asked, for example for want of a permission, is one
    warning and never an error. The local endpoint has no quotas and none of what a spec refers to, so nothing is
    asked there.

    Args:
        spec: What is to be deployed.
        session: Credentials and configuration.
        region: AWS region of the endpoint.
        peak: Instances by type: now, at the peak of the change, and as far as scaling may go.
    """
    if local_endpoint_of(session, region):
        return ()
    questions = Questions(Aws(session, region))
    findings = [*quota_findings(spec, questions, region, peak), *reference_findings(spec, questions, region)]
    if questions.unanswered:
        findings.append(_not_checked(questions))
    return tuple(sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR))


def _not_checked(questions: Questions) -> Finding:
    return Finding(
        "WR899",
        Severity.WARNING,
        "",
        f"Not checked: {'; '.join(questions.unanswered)}.",
        "The deployment can go on; with these permissions, faults would show before anything is changed.",
        "preflight",
    )
