"""A spec with constructs in the place of some of its fields."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from warmroute.errors import IncompleteSpecError
from warmroute.hosting import VllmContainer
from warmroute.hosting.guardrails import Alarm, AutoRollbackConfig, DeploymentConfig
from warmroute.hosting.network import VpcConfig
from warmroute.render.cloudformation import cloudformation_resources
from warmroute.render.resource import UnsetRole
from warmroute_cdk.failures import named, refused_by_cdk
from warmroute_cdk.given import spec_of
from warmroute_cdk.place import (
    refuse_elsewhere,
    refuse_other_region,
    refuse_role_of_other_account,
    refuse_role_without_name,
    region_of,
)
from warmroute_cdk.spec_constructs import refuse_unfit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from aws_cdk import SecretValue
    from aws_cdk.aws_cloudwatch import IAlarm
    from aws_cdk.aws_ec2 import IVpc, SelectedSubnets, SubnetSelection
    from aws_cdk.aws_iam import IRole
    from aws_cdk.aws_secretsmanager import ISecret
    from constructs import Construct, IDependable

    from warmroute.hosting import EndpointSpec, Model
    from warmroute.render.resource import Resource
    from warmroute_cdk.spec_constructs import SpecConstructs

HUGGING_FACE_TOKEN = "HF_TOKEN"  # noqa: S105 - the name of the variable, not a token.
"""Variable that the Hugging Face libraries read a token from. Source: huggingface_hub, environment variables."""


class BoundSpec:
    """A spec, and the constructs that stand for some of its fields.

    Every part of an endpoint takes one in place of a spec. The spec's own rules judge the result: a key for instances
    with local NVMe storage is found here as in a file.

    Args:
        spec: The spec, or the path of its file.
        path: Path of the construct that it is for, which begins every message.
        constructs: Constructs in the place of fields.

    Attributes:
        spec: The spec as it was given.
        stated: The spec with stand-ins for what the constructs give, as the checks see it.
        network: What containers in the VPC wait for: its routes; None without a VPC.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors; the messages are those of ``warmroute validate``.
        IncompleteSpecError: A construct lacks another that it needs, or has nothing to act on.
        ConstructError: What is given stands for no field, or is not the construct that does.
    """

    def __init__(self, spec: EndpointSpec | str | Path, path: str, constructs: SpecConstructs | None = None) -> None:
        self._path = path
        self.spec = spec_of(spec, path)
        self._constructs = constructs or {}
        with named(path), refused_by_cdk(""):
            refuse_unfit(self._constructs)
            self._values: dict[str, Any] = {}
            self._role_arn: str | None = None
            self.network: IDependable | None = None
            self._rendered: dict[str | None, tuple[Resource, ...]] = {}
            self.stated = self._with(self._constructs)

    def with_role(self, role: IRole) -> Self:
        """The same with an execution role, for a spec that has none.

        Args:
            role: The role.
        """
        changed = copy(self)
        changed._role_arn = role.role_arn  # noqa: SLF001 - our own class.
        return changed

    @property
    def role_arn(self) -> str:
        """The execution role where the spec has none.

        Raises:
            IncompleteSpecError: It is not known.
        """
        if self._role_arn is None:
            raise IncompleteSpecError(
                f"{self._path}: the models need an execution role.",
                "Give the spec execution_role_arn, or the construct a role; ExecutionRole makes one.",
            )
        return self._role_arn

    def lacks_role(self, scope: Construct) -> bool:
        """Whether a resource needs an execution role that neither the spec nor a construct gives.

        Args:
            scope: Construct that the resources are for.
        """
        return any(isinstance(each.properties.get("ExecutionRoleArn"), UnsetRole) for each in self.resources(scope))

    def resources(self, scope: Construct) -> tuple[Resource, ...]:
        """The resources of the spec, as ``warmroute render --to cloudformation`` has them.

        Args:
            scope: Construct that they are for; its stack's region serves a spec without one.

        Raises:
            IncompleteSpecError: The region of an image is not known, or the spec's is not the stack's.
            UnsupportedByTargetError: The spec uses what CloudFormation does not know yet.
        """
        with named(self._path):
            refuse_other_region(self.spec, scope)
            region = self.spec.region or region_of(scope)
            if region not in self._rendered:
                self._refuse_what_is_elsewhere(scope)
                self._rendered[region] = cloudformation_resources(self.stated, region=region)
            return self._rendered[region]

    def placed(self, value: Any) -> Any:
        """A value of a resource with the constructs' own values in it.

        Args:
            value: A property of a resource.
        """
        if isinstance(value, dict):
            return {name: self.placed(held) for name, held in value.items()}
        if isinstance(value, list):
            return [self.placed(item) for item in value]
        return self._values.get(value, value) if isinstance(value, str) else value

    def _refuse_what_is_elsewhere(self, scope: Construct) -> None:
        for model in (self.stated, *self.stated.models_by_path.values()):
            if role := getattr(model, "execution_role_arn", None):
                refuse_role_of_other_account(self.placed(role), scope)
        refuse_role_without_name(self._constructs.get("role"), scope)
        for name in ("vpc", "encryption_key"):
            refuse_elsewhere(name, self._constructs.get(name), scope, _OWN_REGION)
        for alarm in self._constructs.get("rollback_alarms") or ():
            refuse_elsewhere("a rollback alarm", alarm, scope, _OWN_REGION)

    def _with(self, given: SpecConstructs) -> EndpointSpec:
        """The spec with stand-ins for the constructs' values, which are kept beside it."""
        changes: dict[str, Any] = {}
        if role := given.get("role"):
            changes["execution_role_arn"] = _ROLE
            self._values[_ROLE] = role.role_arn
        if vpc := given.get("vpc"):
            changes["vpc_config"] = self._vpc_config(vpc, given)
        elif given.get("vpc_subnets") or given.get("security_groups"):
            raise IncompleteSpecError("subnets or security groups are given without their VPC.", "Give vpc too.")
        if key := given.get("encryption_key"):
            changes["kms_key_id"] = self._stand_in("key", key.key_arn)
        if alarms := given.get("rollback_alarms"):
            changes["deployment_config"] = self._guardrails(alarms)
        if token := given.get("hugging_face_token"):
            changes |= self._models_with_token(token)
        return self.spec.model_copy(update=changes)

    def _stand_in(self, label: str, value: Any) -> str:
        text = f"warmroute-construct-{label}"
        self._values[text] = value
        return text

    def _vpc_config(self, vpc: IVpc, given: SpecConstructs) -> VpcConfig:
        groups = given.get("security_groups")
        if not groups:
            raise IncompleteSpecError("the VPC has no security group.", "Give security_groups beside vpc.")
        subnets = _selected(vpc, given.get("vpc_subnets"))
        self.network = subnets.internet_connectivity_established
        return VpcConfig(
            security_group_ids=self._each("group", [group.security_group_id for group in groups]),
            subnets=self._each("subnet", subnets.subnet_ids),
        )

    def _each(self, label: str, values: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._stand_in(f"{label}-{position}", value) for position, value in enumerate(values))

    def _guardrails(self, alarms: Sequence[IAlarm | str]) -> DeploymentConfig:
        own = self.spec.deployment_config or DeploymentConfig()
        names = self._each("alarm", [each if isinstance(each, str) else each.alarm_name for each in alarms])
        before = own.auto_rollback_configuration.alarms if own.auto_rollback_configuration else ()
        together = (*before, *(Alarm(alarm_name=name) for name in names))
        return own.model_copy(update={"auto_rollback_configuration": AutoRollbackConfig(alarms=together)})

    def _models_with_token(self, token: ISecret | SecretValue) -> Mapping[str, Any]:
        if not any(_comes_from_hub(model) for model in self.spec.models_by_path.values()):
            raise IncompleteSpecError(
                "hugging_face_token is given, but no model of the spec comes from the Hugging Face Hub.",
                "Leave it out, or give a model source.hugging_face.",
            )
        value = token if hasattr(token, "unsafe_unwrap") else token.secret_value
        variable = {HUGGING_FACE_TOKEN: self._stand_in("token", value.unsafe_unwrap())}

        def gated(model: VllmContainer | Model | None) -> VllmContainer | Model | None:
            if not isinstance(model, VllmContainer) or not _comes_from_hub(model):
                return model
            return model.model_copy(update={"environment": {**(model.environment or {}), **variable}})

        several = {name: gated(model) for name, model in (self.spec.models or {}).items()}
        return {"model": gated(self.spec.model), "models": several or None}


def _comes_from_hub(model: VllmContainer | Model) -> bool:
    return isinstance(model, VllmContainer) and model.source.hugging_face is not None


def _selected(vpc: IVpc, selection: SubnetSelection | None) -> SelectedSubnets:
    if selection is None:
        return vpc.select_subnets()
    return vpc.select_subnets(
        availability_zones=selection.availability_zones,
        one_per_az=selection.one_per_az,
        subnet_filters=selection.subnet_filters,
        subnet_group_name=selection.subnet_group_name,
        subnets=selection.subnets,
        subnet_type=selection.subnet_type,
    )


_ROLE = "arn:aws:iam::000000000000:role/warmroute-construct-role"
"""Stands for the construct's role in the rendering; no account has this number."""

_OWN_REGION = "SageMaker uses what is in its own region."
