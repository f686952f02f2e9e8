"""Constructs in the place of fields of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from warmroute_cdk.failures import ConstructError
from warmroute_cdk.options import refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import SecretValue
    from aws_cdk.aws_cloudwatch import IAlarm
    from aws_cdk.aws_ec2 import ISecurityGroup, IVpc, SubnetSelection
    from aws_cdk.aws_iam import IRole
    from aws_cdk.aws_kms import IKey
    from aws_cdk.aws_secretsmanager import ISecret
    from constructs import Construct


class SpecConstructs(TypedDict, total=False):
    """Constructs that take the place of fields of a spec; each wins over what the spec says, and None says nothing."""

    role: IRole | None
    """Role of models and components, for ``execution_role_arn``. Default: the spec's, or a new least-privilege one."""

    vpc: IVpc | None
    """VPC of models and components, for ``vpc_config``. Default: the spec's, or none."""

    vpc_subnets: SubnetSelection | None
    """Subnets of ``vpc``. Default: its private ones, as ``vpc.select_subnets()`` chooses."""

    security_groups: Sequence[ISecurityGroup] | None
    """Security groups in ``vpc``, 1 to 5. Default: a new one that lets nothing in and everything out."""

    encryption_key: IKey | None
    """Key of the storage volumes, for ``kms_key_id``. Default: the spec's, or SageMaker's."""

    hugging_face_token: ISecret | SecretValue | None
    """Secret with the token for gated models of the Hugging Face Hub, for ``HF_TOKEN``. Default: none.

    CloudFormation reads it when it creates the model; who may describe the model can read it there.
    """

    rollback_alarms: Sequence[IAlarm | str] | None
    """Alarms that roll an update back, by construct or name, beside the spec's own. Default: the spec's.

    Their dimensions must say the endpoint's name as text (``endpoint.spec.name``): they exist before the endpoint.
    """


def refuse_unfit(given: SpecConstructs) -> None:
    """Refuse what stands for no field of a spec, or is not the construct that stands for it.

    Args:
        given: What was given.

    Raises:
        ConstructError: A name is not known, or what it names is something else.
    """
    refuse_unknown(given, SpecConstructs)
    for name, value in given.items():
        if value is None:
            continue
        if name in _SEVERAL and (isinstance(value, str) or not hasattr(value, "__iter__")):
            raise ConstructError(f"{name} is one {type(value).__name__}.", "Give a list.")
        attributes, remedy = _EXPECTED[name]
        for each in value if name in _SEVERAL else (value,):  # type: ignore[attr-defined]
            if not _is_one(each, attributes, or_text=name == "rollback_alarms"):
                raise ConstructError(f"{name}: {_shown(each)} is not what it takes.", remedy)


def with_security_group(scope: Construct, given: SpecConstructs) -> SpecConstructs:
    """The same with a new security group, where a VPC is given without one.

    Args:
        scope: Construct that the group belongs to.
        given: What was given.
    """
    vpc = given.get("vpc")
    if vpc is None or given.get("security_groups"):
        return given
    from aws_cdk.aws_ec2 import SecurityGroup

    group = SecurityGroup(scope, "SecurityGroup", vpc=vpc, description="Containers of the endpoint.")
    return {**given, "security_groups": [group]}


_SEVERAL = {"security_groups", "rollback_alarms"}
_EXPECTED = {
    "role": (("role_arn",), "Give a role; Role.from_role_arn makes one of an ARN."),
    "vpc": (("vpc_id",), "Give a VPC; Vpc.from_lookup and Vpc.from_vpc_attributes find one."),
    "vpc_subnets": (("subnet_type",), "Give an aws_ec2.SubnetSelection."),
    "security_groups": (
        ("security_group_id",),
        "Give groups; SecurityGroup.from_security_group_id makes one of an id.",
    ),
    "encryption_key": (("key_arn",), "Give a key; Key.from_key_arn makes one of an ARN."),
    "hugging_face_token": (
        ("secret_value", "unsafe_unwrap"),
        "Give a secret; Secret.from_secret_name_v2 finds one. A token as text would stand in the template.",
    ),
    "rollback_alarms": (("alarm_name",), "Give alarms, or their names."),
}


def _is_one(value: Any, attributes: Sequence[str], *, or_text: bool) -> bool:
    if isinstance(value, str):
        return or_text
    return not isinstance(value, type) and any(hasattr(value, name) for name in attributes)


def _shown(value: Any) -> str:
    """What was given, without its content: it may be a secret."""
    return f"the class {value.__name__}" if isinstance(value, type) else f"{type(value).__name__}"
