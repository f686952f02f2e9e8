"""SageMaker's answers straight from the control plane: moto's own way there takes most of the time of a schedule."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from warmroute.local.control.hooks import ApiError, registry_of
from warmroute.local.control.operations import OPERATIONS, perform
from warmroute.local.control.refusals import RefusedError

if TYPE_CHECKING:
    from deploy.faults.world import Answer
    from moto.sagemaker.models import SageMakerModelBackend

_SERVICE = "SageMaker"
_HEADERS = {"Content-Type": "application/x-amz-json-1.1"}
_TAGS = ("ListTags", "AddTags")


def is_known(service: str, operation: str) -> bool:
    """Whether a call can be answered here.

    Args:
        service: As the call's ``X-Amz-Target`` names it.
        operation: Likewise.
    """
    return service == _SERVICE and (operation in OPERATIONS or operation in _TAGS)


def answer(backend: SageMakerModelBackend, operation: str, body: bytes) -> Answer:
    """What a call is answered, to the same JSON as through moto.

    Args:
        backend: What the account holds.
        operation: One that is known.
        body: Its parameters in JSON.
    """
    try:
        response = _response(backend, operation, json.loads(body or b"{}"))
    except RefusedError as refused:
        return _refusal(refused.code, refused.message)
    except ApiError as refused:
        return _refusal(refused.code, refused.message)
    return 200, dict(_HEADERS), json.dumps(response, default=_epoch_seconds)


def _response(backend: SageMakerModelBackend, operation: str, request: dict[str, Any]) -> Any:
    if operation == "ListTags":
        return {"Tags": backend._get_resource_from_arn(request["ResourceArn"]).tags}
    if operation == "AddTags":
        return {"Tags": backend.add_tags(request["ResourceArn"], request["Tags"])}
    return perform(registry_of(backend), operation, request)


def _refusal(code: str, message: str) -> Answer:
    told = json.dumps({"__type": code, "Message": message})
    return 400, {**_HEADERS, "X-Amzn-Errortype": code}, told


def _epoch_seconds(value: Any) -> float:
    if isinstance(value, datetime):
        return int(value.timestamp()) + value.microsecond // 1_000 / 1_000
    raise TypeError(type(value).__name__)
