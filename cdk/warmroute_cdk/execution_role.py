"""The role that SageMaker and the containers run with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from aws_cdk import Annotations, Stack
from aws_cdk.aws_iam import Effect, ManagedPolicy, PolicyStatement, Role, ServicePrincipal
from constructs import Construct

from warmroute_cdk.acknowledgements import acknowledge, wildcard
from warmroute_cdk.failures import ConstructError, checked_construct, named
from warmroute_cdk.part import bound
from warmroute_cdk.permissions import permissions, unknown_sources
from warmroute_cdk.place import in_same_stack
from warmroute_cdk.policy_documents import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk.aws_iam import CfnManagedPolicy, IRole

    from warmroute_cdk.part import AnySpec
    from warmroute_cdk.permissions import Permission


class ExecutionPolicy(Construct):
    """Customer-managed policies with what a spec needs: its artefacts, images, keys, log groups, VPC, and no more.

    One is enough for most specs; IAM's limit of characters divides what a spec with many models and components needs.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        roles: Roles to attach them to. Default: none; a role may also take each up with ``add_managed_policy``.

    Attributes:
        policies: The policies.

    Raises:
        ConstructError: They are more than IAM attaches to a role.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: AnySpec,
        roles: Sequence[IRole] = (),
    ) -> None:
        super().__init__(scope, id)
        known = bound(spec, scope, id)
        resources = [replace(each, properties=known.placed(each.properties)) for each in known.resources(self)]
        for said in unknown_sources(resources):
            Annotations.of(self).add_warning_v2("warmroute:unknown-source", said)
        with named(self.node.path):
            if not all(hasattr(role, "role_arn") for role in roles):
                raise ConstructError("roles holds what is no role.", "Role.from_role_arn makes one of an ARN.")
            needed = documents(permissions(known.spec.name, resources))
        description = f"What the SageMaker endpoint {known.spec.name} needs."
        self.policies = [
            ManagedPolicy(
                self,
                f"Resource{number or ''}",
                description=description,
                roles=[role for role in roles if not self._takes_up(role)],
                statements=[self._statement(each) for each in statements],
            )
            for number, statements in enumerate(needed)
        ]
        for role in filter(self._takes_up, roles):
            assert isinstance(role, Role)  # noqa: S101 - tells the type checker what was asked.
            for policy in self.policies:
                role.add_managed_policy(policy)
        every = [each for statements in needed for each in statements]
        acknowledge(self, {wildcard(self, arn): why for each in every for arn, why in self._wildcards(each)})

    @property
    def cfn_managed_policies(self) -> list[CfnManagedPolicy]:
        """The policies."""
        return [cast("CfnManagedPolicy", policy.node.default_child) for policy in self.policies]

    def _takes_up(self, role: IRole) -> bool:
        """Whether a role can name the policy itself: whatever needs the role waits for the policy then."""
        return isinstance(role, Role) and in_same_stack(role, self)

    def _statement(self, permission: Permission) -> PolicyStatement:
        return PolicyStatement(
            sid=permission.sid,
            effect=Effect.ALLOW,
            actions=list(permission.actions),
            resources=[self._arn(each) for each in permission.resources],
            conditions=dict(permission.conditions) or None,
        )

    def _wildcards(self, permission: Permission) -> list[tuple[str, str]]:
        return [(self._arn(each), permission.wildcard_reason) for each in permission.resources if "*" in each]

    def _arn(self, template: str) -> str:
        stack = Stack.of(self)
        for name in ("partition", "region", "account"):
            if f"{{{name}}}" in template:
                template = template.replace(f"{{{name}}}", getattr(stack, name))
        return template


class ExecutionRole(Construct):
    """A role that SageMaker may take on, with the policies of a spec.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
    """

    @checked_construct
    def __init__(self, scope: Construct, id: str, *, spec: AnySpec) -> None:  # noqa: A002
        super().__init__(scope, id)
        known = bound(spec, scope, id)
        self.policy = ExecutionPolicy(self, "Policy", spec=known)
        # Attached from the role's side, whatever needs the role waits for its policies too.
        self.role = Role(
            self,
            "Resource",
            assumed_by=ServicePrincipal("sagemaker.amazonaws.com"),
            description=f"Execution role of the SageMaker endpoint {known.spec.name}.",
            managed_policies=self.policy.policies,
        )
