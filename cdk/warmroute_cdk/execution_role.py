"""The role that SageMaker and the containers run with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aws_cdk import Annotations, Stack
from aws_cdk.aws_iam import CfnManagedPolicy, Effect, ManagedPolicy, PolicyStatement, Role, ServicePrincipal
from constructs import Construct

from warmroute_cdk.acknowledgements import acknowledge, wildcard
from warmroute_cdk.part import bound
from warmroute_cdk.permissions import permissions, unknown_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk.aws_iam import IRole

    from warmroute_cdk.part import AnySpec
    from warmroute_cdk.permissions import Permission


class ExecutionPolicy(Construct):
    """A customer-managed policy with what a spec needs: its artefacts, images, keys, log groups, VPC, and no more.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
        roles: Roles to attach it to. Default: none; a role may also take it up with ``add_managed_policy``.
    """

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
        needed = permissions(known.spec.name, resources)
        self.policy = ManagedPolicy(
            self,
            "Resource",
            description=f"What the SageMaker endpoint {known.spec.name} needs.",
            roles=[role for role in roles if not self._takes_up(role)],
            statements=[self._statement(each) for each in needed],
        )
        for role in filter(self._takes_up, roles):
            assert isinstance(role, Role)  # noqa: S101 - tells the type checker what was asked.
            role.add_managed_policy(self.policy)
        acknowledge(self, {wildcard(self, arn): why for each in needed for arn, why in self._wildcards(each)})

    @property
    def cfn_managed_policy(self) -> CfnManagedPolicy:
        """The policy."""
        made = self.policy.node.default_child
        assert isinstance(made, CfnManagedPolicy)  # noqa: S101 - tells the type checker what the CDK makes.
        return made

    def _takes_up(self, role: IRole) -> bool:
        """Whether a role can name the policy itself: whatever needs the role waits for the policy then."""
        return isinstance(role, Role) and Stack.of(role).node.path == Stack.of(self).node.path

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
    """A role that SageMaker may take on, with the policy of a spec.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: The spec.
    """

    def __init__(self, scope: Construct, id: str, *, spec: AnySpec) -> None:  # noqa: A002
        super().__init__(scope, id)
        known = bound(spec, scope, id)
        self.policy = ExecutionPolicy(self, "Policy", spec=known)
        # Attached from the role's side, whatever needs the role waits for its policy too.
        self.role = Role(
            self,
            "Resource",
            assumed_by=ServicePrincipal("sagemaker.amazonaws.com"),
            description=f"Execution role of the SageMaker endpoint {known.spec.name}.",
            managed_policies=[self.policy.policy],
        )
