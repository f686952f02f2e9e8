"""AWS's own models of its services and of CloudFormation, to judge what we render."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore import xform_name
from botocore.validate import ParamValidator
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from warmroute.render.cloudformation import TYPES

if TYPE_CHECKING:
    from botocore.model import OperationModel, ServiceModel

    from warmroute.render import Call
    from warmroute.render.resource import Kind


@cache
def service(name: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(name)


def operation(call: Call) -> OperationModel:
    model = service(call.service)
    return next(model.operation_model(each) for each in model.operation_names if xform_name(each) == call.operation)


def faults(call: Call) -> str:
    """What botocore would refuse of a call before sending it; empty when it takes the call."""
    shape: Any = operation(call).input_shape
    return ParamValidator().validate(call.parameters, shape).generate_report()


def schema(kind: Kind) -> dict[str, Any]:
    """CloudFormation's schema of a kind, as cfn-lint ships it."""
    return PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", TYPES[kind]).schema
