"""What the calls that deploy a template have in common: the target that they ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from warmroute.local.cloudformation.parameters import given_parameters, parameter_values
from warmroute.local.cloudformation.refusals import ResourceFailedError, invalid
from warmroute.local.cloudformation.target import Target
from warmroute.local.cloudformation.templates import parse_template
from warmroute.local.cloudformation.validity import refuse_conflicts, refuse_impossible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import Stack, Stacks


def target_of(stacks: Stacks, request: Mapping[str, Any], stack: Stack | None = None) -> Target:
    """What a request wants a stack to be.

    Args:
        stacks: The account.
        request: The input of CreateStack, UpdateStack or CreateChangeSet.
        stack: The stack as it is; none when it is to be made.

    Raises:
        RefusedError: No stack can be that.
    """
    text = template_text(stacks.api, request, stack)
    template = parse_template(text)
    refuse_impossible(template)
    before = stack.target if stack is not None else None
    given = given_parameters(request.get("Parameters") or (), before.given if before else {})
    tags = {tag["Key"]: tag["Value"] for tag in request.get("Tags") or ()}
    target = Target(
        text,
        template,
        given,
        parameter_values(template, given, lambda name: _stored(stacks.api, name)),
        tags if request.get("Tags") is not None or before is None else before.tags,
        request.get("RoleARN") or (before.role_arn if before else None),
        tuple(request.get("NotificationARNs") or ()),
        tuple(request.get("Capabilities") or ()),
        request.get("TimeoutInMinutes"),
        _pseudo_parameters(stacks, stack.name if stack is not None else request["StackName"]),
    )
    refuse_conflicts(stacks, target)
    return target


def _pseudo_parameters(stacks: Stacks, name: str) -> dict[str, str]:
    return {
        "AWS::AccountId": stacks.api.account,
        "AWS::Region": stacks.api.region,
        "AWS::Partition": stacks.partition,
        "AWS::URLSuffix": "amazonaws.com.cn" if stacks.partition == "aws-cn" else "amazonaws.com",
        "AWS::StackName": name,
    }


def template_text(api: Api, request: Mapping[str, Any], stack: Stack | None = None) -> str:
    """The template that a request gives, names or keeps.

    Raises:
        RefusedError: There is none.
    """
    if request.get("UsePreviousTemplate"):
        if request.get("TemplateBody") or request.get("TemplateURL"):
            raise invalid("You cannot specify both usePreviousTemplate and Template Body/Template URL.")
        if stack is None:
            raise invalid("UsePreviousTemplate needs a stack.")
        return stack.target.text
    if request.get("TemplateBody"):
        return str(request["TemplateBody"])
    if request.get("TemplateURL"):
        return _stored_template(api, request["TemplateURL"])
    raise invalid("Either Template URL or Template Body must be specified.")


def _stored_template(api: Api, url: str) -> str:
    """The object behind an S3 address of either style."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    virtual = re.match(r"(?P<bucket>.+)\.s3[.-]", host)
    path = unquote(parts.path.lstrip("/"))
    bucket, _, key = (virtual["bucket"], "", path) if virtual else path.partition("/")
    try:
        body = api.call("s3", "GetObject", Bucket=bucket, Key=key)["Body"]
    except ResourceFailedError:
        raise invalid(f"S3 error: Access Denied or no such object: {url}") from None
    return str(body.read().decode("utf-8"))


def _stored(api: Api, name: str) -> str | None:
    found = api.find("ssm", "GetParameter", Name=name)
    return None if found is None else str(found["Parameter"]["Value"])
