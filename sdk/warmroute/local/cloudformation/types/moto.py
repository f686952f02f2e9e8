"""Types that moto's own CloudFormation makes; here they are moto's, with moto's gaps."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import moto.cloudformation.parsing as moto_parsing
from moto.cloudformation.exceptions import UnformattedGetAttTemplateException

from warmroute.local.cloudformation.api import says_absence
from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.types.base import ResourceType
from warmroute.local.control.chance import CHANCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties

_NOT_OURS = "AWS::CloudFormation::"
"""Stacks in stacks and their like would need moto's own engine."""


def moto_has(name: str) -> bool:
    """Whether moto makes resources of a type."""
    return not name.startswith(_NOT_OURS) and name in moto_parsing.get_model_map()


@functools.cache
def moto_type(type_name: str) -> ResourceType:
    """A type as moto makes it."""

    class OneMotoType(MotoType):
        name = type_name

    return OneMotoType()


_PARTS = {
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::Route53::RecordSet",
    "AWS::Route53::RecordSetGroup",
}
"""Types whose physical id is, in moto, that of what they belong to. Source: ``physical_resource_id`` of its classes."""


class MotoType(ResourceType):
    """A resource type over moto's class of that type."""

    def __init__(self) -> None:
        self._model: Any = moto_parsing.get_model_map()[self.name]
        self._name_property: str = self._model.cloudformation_name_type()
        self.may_take_over = self.name not in _PARTS

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Let moto make it."""
        suffix = CHANCE.get_random_hex(12)
        made_up = f"{resource.logical_id}-{suffix}"
        name = properties.get(self._name_property) or made_up
        resource.handle = self._do(
            self._model.create_from_cloudformation_json, name, _json(self.name, properties), api.account, api.region
        )
        resource.physical_id = str(resource.handle.physical_resource_id)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Let moto change it, which for many types makes it anew."""
        update = self._model.update_from_cloudformation_json
        if hasattr(update, "__isabstractmethod__"):
            raise ResourceFailedError(f"The local endpoint cannot update resources of type {self.name}.")
        name = properties.get(self._name_property) or resource.physical_id
        document = _json(self.name, properties)
        resource.handle = self._do(update, resource.handle, name, document, api.account, api.region)
        resource.physical_id = str(resource.handle.physical_resource_id)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Let moto delete it, which may have gone already."""
        delete = self._model.delete_from_cloudformation_json
        document = _json(self.name, dict(resource.properties))
        try:
            if hasattr(resource.handle, "delete"):
                self._do(resource.handle.delete, api.account, api.region)
            elif not hasattr(delete, "__isabstractmethod__"):
                self._do(delete, resource.physical_id, document, api.account, api.region)
        except ResourceFailedError as failed:
            if not _is_absence(failed.__cause__):
                raise
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """What moto's class answers to Fn::GetAtt."""
        return _Attributes(resource.handle)

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says of what moto has made; what it has not made cannot be imported."""
        if resource.handle is None:
            raise ResourceFailedError(f"The local endpoint cannot import resources of type {self.name}.")
        return dict(resource.properties)

    def _do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:  # moto's classes fail in every way that there is.
            said = getattr(error, "message", None) or str(error)
            raise ResourceFailedError(f'Resource handler returned message: "{said}" (moto\'s {self.name})') from error


class _Attributes(dict[str, Any]):
    """Attributes that moto's object computes when it is asked."""

    def __init__(self, handle: Any) -> None:
        super().__init__()
        self._handle = handle

    def __contains__(self, name: object) -> bool:
        try:
            self._handle.get_cfn_attribute(name)
        except (UnformattedGetAttTemplateException, NotImplementedError):
            return False
        return True

    def __missing__(self, name: str) -> Any:
        return self._handle.get_cfn_attribute(name)


def _is_absence(error: BaseException | None) -> bool:
    # moto's errors have their code under either name, or in the name of their class.
    code = f"{getattr(error, 'error_type', '')} {getattr(error, 'code', '')} {type(error).__name__}"
    return isinstance(error, KeyError) or says_absence(code, str(error))


def _json(name: str, properties: Properties) -> dict[str, Any]:
    return {"Type": name, "Properties": properties}
