"""Where the control plane is attached to moto's services. Only the hooks and ``http`` know moto's insides.

moto finds the method that answers a call by the call's name among the functions of a response class, and its backends
lose everything in their ``__dict__`` on a reset; so calls are functions set on the class, and the registry lives there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import moto.core.errors as core_errors
import moto.core.responses as core_responses
import moto.iam.models as iam_models
from botocore.model import OperationNotFoundError
from moto.applicationautoscaling.responses import ApplicationAutoScalingResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, method_names_from_class
from moto.sagemaker.models import SageMakerModelBackend, sagemaker_backends
from moto.sagemaker.responses import SageMakerResponse
from pydantic.alias_generators import to_pascal

from warmroute.local.control import bootstrap, chance, service_hooks
from warmroute.local.control.endpoint_configs import EndpointConfig
from warmroute.local.control.endpoints import Endpoint
from warmroute.local.control.models import Model
from warmroute.local.control.operations import OPERATIONS, perform
from warmroute.local.control.refusals import RefusedError, not_found
from warmroute.local.control.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.local.control.registry import Request, Resource, Response

NOT_IMPLEMENTED = "NotImplemented"
"""Error code of calls that nobody answers."""

MAX_TAGS = 50
"""Tags of one resource; AWS's own do not count. Source: botocore ``TagList``, whose limit a creation meets as well."""

BEFORE_CALLS: list[Callable[[str, str], None]] = []
"""What is done before any call is answered, with the account and the region of the call."""

_ATTACHED = "warmroute_attached"
_REGISTRY = "warmroute_registry"
_OF_SAGEMAKER = (SageMakerResponse, ApplicationAutoScalingResponse)
_ABSENT_FROM_MOTO = {
    "UpdateEndpoint",
    "CreateInferenceComponent",
    "DescribeInferenceComponent",
    "ListInferenceComponents",
    "UpdateInferenceComponent",
    "UpdateInferenceComponentRuntimeConfig",
    "DeleteInferenceComponent",
}
_BACKED = ((Model, "models"), (EndpointConfig, "endpoint_configs"), (Endpoint, "endpoints"))
RELIED_ON: tuple[tuple[object, str], ...] = (
    *(
        (SageMakerResponse, camelcase_to_underscores(action))
        for action in OPERATIONS
        if action not in _ABSENT_FROM_MOTO
    ),
    (SageMakerResponse, "sagemaker_backend"),
    *(
        (SageMakerModelBackend, f"{verb}_{camelcase_to_underscores(kind.__name__)}")
        for kind, _ in _BACKED
        for verb in ("create", "delete")
    ),
    *((SageMakerModelBackend, name) for name in ("_get_resource_from_arn", "add_tags", "list_tags", "delete_tags")),
    (core_responses.BaseResponse, "boto3_service_name"),
    *(
        (core_responses.BaseResponse, name)
        for name in ("call_action", "parse_parameters", "serialized", "_get_action", "_enrich_response")
    ),
    (core_responses.BaseResponse, "get_current_account"),
    *bootstrap.RELIED_ON,
    *chance.RELIED_ON,
    *service_hooks.RELIED_ON,
    (core_errors, "COMMON_ERROR_CODES"),
    (iam_models, "get_account_id_from"),
)
"""Everything of moto's that is replaced, wrapped or called, as owner and name."""


class ApiError(ServiceException):
    """An error in the service's protocol; of moto's own classes, moto guesses the service by their module."""


def attach() -> None:
    """Replace and add what the control plane needs; a second call changes nothing."""
    if hasattr(SageMakerResponse, _ATTACHED):
        return
    for action in OPERATIONS:
        setattr(SageMakerResponse, camelcase_to_underscores(action), _answer(action))
    for kind, collection in _BACKED:
        _attach_backend(SageMakerModelBackend, kind, collection)
    _attach_tags(SageMakerModelBackend)
    _attach_refusals(core_responses.BaseResponse)
    service_hooks.attach()
    bootstrap.attach()
    # moto warns of error codes that the service's model lacks.
    core_errors.COMMON_ERROR_CODES.append(NOT_IMPLEMENTED)
    setattr(SageMakerResponse, _ATTACHED, True)


def registry_of(backend: SageMakerModelBackend) -> Registry:
    """The registry of a moto backend, made when it is first needed and gone with the backend's next reset."""
    state: dict[str, Any] = backend.__dict__
    found: Registry | None = state.get(_REGISTRY)
    if found is None:
        made = Registry(
            backend.account_id,
            backend.region_name,
            backend.partition,
            # The very dictionaries that moto's Search and Resource Groups Tagging API read.
            models=state["_models"],
            endpoint_configs=state["endpoint_configs"],
            endpoints=state["endpoints"],
        )
        found = state.setdefault(_REGISTRY, made)
    return found


def existing_registry(account: str, region: str) -> Registry | None:
    """The registry of an account in a region, if anybody has used SageMaker there."""
    regions: Any = dict.get(sagemaker_backends, account)
    backend = dict.get(regions, region) if regions is not None else None
    return registry_of(backend) if backend is not None else None


def existing_registries() -> list[Registry]:
    """The registry of every account and region in which anybody has used SageMaker."""
    regions: list[Any] = list(dict.values(sagemaker_backends))
    return [registry_of(backend) for of_account in regions for backend in list(dict.values(of_account))]


def registry_at(account: str, region: str) -> Registry:
    """The registry of an account in a region.

    Raises:
        KeyError: moto does not know the region.
    """
    return registry_of(sagemaker_backends[account][region])


def account_of(access_key: str) -> str:
    """The account of an access key; of one that moto does not know, ``DEFAULT_ACCOUNT``."""
    account: str = iam_models.get_account_id_from(access_key)
    return account


def _perform(backend: SageMakerModelBackend, action: str, request: Request) -> Response:
    try:
        return perform(registry_of(backend), action, request)
    except RefusedError as refused:
        raise ApiError(refused.code, refused.message) from None


def _answer(action: str) -> Callable[[SageMakerResponse], ActionResult]:
    def answer(self: SageMakerResponse) -> ActionResult:
        return ActionResult(_perform(self.sagemaker_backend, action, self.params))

    return answer


def _attach_backend(backend_type: Any, kind: type[Resource], collection: str) -> None:
    """The same life and the same refusals for what moto's CloudFormation makes and deletes."""
    noun = kind.__name__
    method = camelcase_to_underscores(noun)

    def create(self: SageMakerModelBackend, **fields: Any) -> Resource:
        request = {to_pascal(field): value for field, value in fields.items() if value}
        _perform(self, f"Create{noun}", request)
        made: Resource = getattr(registry_of(self), collection)[request[f"{noun}Name"]]
        return made

    def delete(self: SageMakerModelBackend, name: str) -> None:
        _perform(self, f"Delete{noun}", {f"{noun}Name": name})

    setattr(backend_type, f"create_{method}", create)
    setattr(backend_type, f"delete_{method}", delete)


def _attach_tags(backend_type: Any) -> None:
    """Tags of components; an error rather than a crash for what does not exist; a key stands only once."""
    stock = backend_type._get_resource_from_arn  # noqa: SLF001 - hooks know moto's insides.

    def get_resource_from_arn(self: SageMakerModelBackend, arn: str) -> Any:
        kind, _, name = arn.rpartition(":")[2].partition("/")
        registry = registry_of(self)
        with registry.lock:
            registry.settle()
            resource = registry.components.get(name) if kind == "inference-component" else stock(self, arn)
        if resource is None:
            refused = not_found(kind, arn)
            raise ApiError(refused.code, refused.message)
        return resource

    def add_tags(self: SageMakerModelBackend, arn: str, tags: list[dict[str, str]]) -> list[dict[str, str]]:
        resource = get_resource_from_arn(self, arn)
        added = {tag["Key"] for tag in tags}
        kept = [tag for tag in resource.tags if tag["Key"] not in added] + tags
        if sum(not tag["Key"].startswith("aws:") for tag in kept) > MAX_TAGS:
            raise ApiError("ValidationException", f'"{arn}" would have {len(kept)} tags; {MAX_TAGS} are allowed.')
        resource.tags = kept
        result: list[dict[str, str]] = resource.tags
        return result

    backend_type._get_resource_from_arn = get_resource_from_arn  # noqa: SLF001 - as above.
    backend_type.add_tags = add_tags


def _attach_refusals(response_type: Any) -> None:
    """Errors in the service's protocol for calls and regions that nobody answers; moto's pages would be retried."""
    call_action, parse_parameters = response_type.call_action, response_type.parse_parameters

    def parse_known_parameters(self: Any, request: Any) -> None:
        try:
            parse_parameters(self, request)
        except OperationNotFoundError:
            self.params = {}

    def call_implemented_action(self: Any) -> Any:
        if isinstance(self, _OF_SAGEMAKER) and self.region not in sagemaker_backends[self.current_account]:
            return refuse(self, ApiError("ValidationException", f"SageMaker has no region {self.region}."))
        for prepare in BEFORE_CALLS:
            prepare(self.current_account, self.region)
        action = self._get_action()
        if action and camelcase_to_underscores(action) not in method_names_from_class(type(self)):
            return refuse(self, _not_implemented(self, action))
        try:
            return call_action(self)
        except NotImplementedError:
            return refuse(self, _not_implemented(self, action))

    def refuse(self: Any, error: ApiError) -> Any:
        status, headers, body = self.serialized(ActionResult(error))
        headers, body = self._enrich_response(headers, body)
        return status, headers, body

    response_type.parse_parameters = parse_known_parameters
    response_type.call_action = call_implemented_action


def _not_implemented(response: Any, action: str) -> ApiError:
    message = f"The local endpoint does not implement {action} of {response.boto3_service_name}."
    return ApiError(NOT_IMPLEMENTED, message)
