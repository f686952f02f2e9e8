"""The region and account of a stack, and what must be in the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from aws_cdk import CfnResource, Stack, Token
from aws_cdk.aws_iam import Role

from warmroute.errors import IncompleteSpecError
from warmroute_cdk.failures import ConstructError

if TYPE_CHECKING:
    from aws_cdk.aws_iam import CfnRole, IRole
    from constructs import Construct, IConstruct

    from warmroute.hosting import EndpointSpec

MOST_RESOURCES = 500
"""Resources of a stack. Source: CloudFormation quotas."""


def region_of(scope: Construct) -> str | None:
    """Region of the stack of a construct; None where it is known at deployment only.

    Args:
        scope: The construct.
    """
    return known(Stack.of(scope).region)


def account_of(scope: Construct) -> str | None:
    """Account of the stack of a construct; None where it is known at deployment only.

    Args:
        scope: The construct.
    """
    return known(Stack.of(scope).account)


def in_same_stack(one: IConstruct, other: IConstruct) -> bool:
    """Whether two constructs belong to one stack.

    Args:
        one: A construct.
        other: Another.
    """
    return Stack.of(one).node.path == Stack.of(other).node.path


def known(value: str) -> str | None:
    """A text that is known at synthesis, or None.

    Args:
        value: The text, or a token.
    """
    return None if Token.is_unresolved(value) else value


def apart(one: str | None, other: str | None) -> bool:
    """Whether two regions, or two accounts, are known and differ.

    Args:
        one: A region or account; None where it is known at deployment only.
        other: Another.
    """
    return bool(one and other and one != other)


def refuse_other_region(spec: EndpointSpec, scope: Construct) -> None:
    """Refuse a stack of another region than the spec's.

    Args:
        spec: The spec.
        scope: Construct of the stack.

    Raises:
        IncompleteSpecError: They differ.
    """
    region = region_of(scope)
    if apart(region, spec.region):
        raise IncompleteSpecError(
            f"the spec is for {spec.region}, and the stack for {region}.",
            "Leave the region out of the spec, or deploy the stack to the spec's region.",
        )


def refuse_role_of_other_account(role_arn: str, scope: Construct) -> None:
    """Refuse an execution role that SageMaker could not take on.

    Args:
        role_arn: ARN of the role; may be a token.
        scope: Construct of the endpoint's stack.

    Raises:
        IncompleteSpecError: It belongs to another account than the stack.
    """
    account = account_of(scope)
    found = _ROLE_ARN.fullmatch(role_arn)
    if found and apart(account, found["account"]):
        raise IncompleteSpecError(
            f"the execution role is in account {found['account']}, and the stack in {account}.",
            "SageMaker takes a role of its own account: name another, or none, for a new role.",
        )


def refuse_role_without_name(role: IRole | None, scope: Construct) -> None:
    """Refuse a role that a stack of another region makes and lets CloudFormation name: nothing here could name it.

    Args:
        role: The role.
        scope: Construct of the endpoint's stack.

    Raises:
        ConstructError: It is such a role.
    """
    if not isinstance(role, Role) or in_same_stack(role, scope):
        return
    there, here = region_of(role), region_of(scope)
    name = Stack.of(role).resolve(cast("CfnRole", role.node.default_child).role_name)
    if apart(there, here) and name is None:
        raise ConstructError(
            f"the role {role.node.path} is made in a stack for {there}, and the endpoint's is for {here}.",
            "Give it a role_name, or make it in a stack of the endpoint's region.",
        )


def refuse_elsewhere(what: str, given: Any, scope: Construct, why: str) -> None:
    """Refuse a construct of another region than the stack that uses it.

    Args:
        what: What it is, for the message.
        given: The construct; one without an environment, such as a name, is passed.
        scope: Construct of the stack.
        why: Why it must be in the same.

    Raises:
        ConstructError: The regions differ.
    """
    env = getattr(given, "env", None)
    there, here = known(env.region) if env else None, region_of(scope)
    if apart(there, here):
        raise ConstructError(f"{what} is in {there}, and the stack in {here}.", why)


def refuse_too_many_resources(construct: Construct) -> None:
    """Refuse a stack of more resources than CloudFormation takes.

    Args:
        construct: A construct of the stack, for which it has become too large.

    Raises:
        ConstructError: There are too many.
    """
    stack = Stack.of(construct)
    inside = stack.node.find_all()
    # A stack within this one, nested or not, has a template and a limit of its own.
    inner = [each for each in inside if isinstance(each, Stack) and each is not stack]
    others = {child for each in inner for child in each.node.find_all()}
    made = [each for each in inside if isinstance(each, CfnResource) and each not in others]
    if len(made) > MOST_RESOURCES:
        by_type: dict[str, int] = {}
        for each in made:
            by_type[each.cfn_resource_type] = by_type.get(each.cfn_resource_type, 0) + 1
        counts = ", ".join(f"{count} {name}" for name, count in sorted(by_type.items(), key=lambda item: -item[1]))
        raise ConstructError(
            f"{construct.node.path}: its stack {stack.stack_name} has {len(made)} resources by now ({counts}), and "
            f"CloudFormation takes {MOST_RESOURCES}.",
            "Put alarms, dashboard and what else the stack holds into a stack of their own, or divide the models, "
            "components and adapters among several endpoints.",
        )


_ROLE_ARN = re.compile(r"arn:[^:]+:iam::(?P<account>\d{12}):role/.+")
