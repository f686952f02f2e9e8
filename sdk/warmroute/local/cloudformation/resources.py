"""One resource made, changed or deleted, with its events; each waits until the resource has settled."""

from __future__ import annotations

import json
import re
import string
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.types import type_of
from warmroute.local.control.chance import CHANCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import Operation, Stack, StackResource, Stacks

CANCELLED = "Resource update cancelled"
"""Reason of what a cancelled update gives up. Source: CloudFormation, of CancelUpdateStack."""


def make(stacks: Stacks, stack: Stack, resource: StackResource, *, verb: str = "CREATE") -> Operation:
    """Make a resource.

    Args:
        stacks: The account.
        stack: The stack.
        resource: The resource, with the properties that it is to have.
        verb: What its events call it: ``UPDATE`` where it replaces another.

    Raises:
        ResourceFailedError: It cannot be made.
    """
    kind = type_of(resource.type)
    if verb == "CREATE":
        _tell(stacks, stack, resource, "CREATE_IN_PROGRESS")
    properties = resolve_secrets(stacks.api, resource.properties)
    if kind.name_property and kind.name_property not in properties:
        properties[kind.name_property] = _new_name(stack.name, resource.logical_id, kind.name_limit, kind.name_is_lower)
    if kind.exists(stacks.api, properties):
        name = properties.get(str(kind.name_property), resource.logical_id)
        raise ResourceFailedError(f"Resource of type '{kind.name}' with identifier '{name}' already exists.")
    kind.create(stacks.api, resource, properties)
    if kind.may_take_over:
        _refuse_taken(stacks, stack, resource)
    _tell(stacks, stack, resource, f"{verb}_IN_PROGRESS", "Resource creation Initiated")
    yield from _wait(stacks, stack, resource)
    _tell(stacks, stack, resource, f"{verb}_COMPLETE")


def change(stacks: Stacks, stack: Stack, resource: StackResource, wanted: Mapping[str, Any]) -> Operation:
    """Give a resource other properties, in place.

    Raises:
        ResourceFailedError: It cannot have them.
    """
    before, resource.properties = resource.properties, wanted
    _tell(stacks, stack, resource, "UPDATE_IN_PROGRESS")
    kind = type_of(resource.type)
    while kind.is_busy(stacks.api, resource):
        yield
    kind.update(stacks.api, resource, resolve_secrets(stacks.api, wanted), resolve_secrets(stacks.api, before))
    yield from _wait(stacks, stack, resource)
    _tell(stacks, stack, resource, "UPDATE_COMPLETE")


def remove(stacks: Stacks, stack: Stack, resource: StackResource) -> Operation:
    """Delete a resource, if it was made at all.

    Raises:
        ResourceFailedError: It cannot be deleted.
    """
    _tell(stacks, stack, resource, "DELETE_IN_PROGRESS")
    if resource.physical_id:
        kind = type_of(resource.type)
        try:
            while kind.is_busy(stacks.api, resource):
                yield
            while not kind.delete(stacks.api, resource):
                yield
        except ResourceFailedError as failed:
            _tell(stacks, stack, resource, "DELETE_FAILED", failed.reason)
            raise
    _tell(stacks, stack, resource, "DELETE_COMPLETE")


def skip(stacks: Stacks, stack: Stack, resource: StackResource) -> None:
    """Leave a resource in the account that the stack no longer has."""
    _tell(stacks, stack, resource, "DELETE_SKIPPED")


def refresh(stacks: Stacks, resource: StackResource) -> None:
    """Read what Fn::GetAtt gives of a resource."""
    resource.attributes = type_of(resource.type).attributes(stacks.api, resource)


def copy_of(resource: StackResource) -> StackResource:
    """A resource as it stands, to go back to."""
    return replace(resource)


def resolve_secrets(api: Api, value: Any) -> Any:
    """Properties with what their dynamic references refer to.

    Raises:
        ResourceFailedError: One refers to what does not exist.
    """
    if isinstance(value, dict):
        return {key: resolve_secrets(api, each) for key, each in value.items()}
    if isinstance(value, list):
        return [resolve_secrets(api, each) for each in value]
    if isinstance(value, str) and "{{resolve:" in value:
        return _DYNAMIC.sub(lambda found: _resolved(api, found), value)
    return value


def _wait(stacks: Stacks, stack: Stack, resource: StackResource) -> Operation:
    kind = type_of(resource.type)
    minutes = stack.target.timeout_minutes if stack.status == "CREATE_IN_PROGRESS" else None
    while not kind.is_settled(stacks.api, resource):
        if stack.is_cancelled:
            raise ResourceFailedError(CANCELLED)
        if minutes is not None and stacks.clock.now() > stack.created + 60 * minutes:
            raise ResourceFailedError("Resource creation cancelled: the stack's TimeoutInMinutes is over.")
        yield
    refresh(stacks, resource)


def _refuse_taken(stacks: Stacks, stack: Stack, resource: StackResource) -> None:
    replaced = [entry.before for entry in stack.journal if entry.before is not None]
    try:
        stacks.refuse_owned(resource, among=replaced)
    except ResourceFailedError:
        resource.physical_id, resource.handle = "", None  # It is not this resource's to delete.
        raise


def _tell(stacks: Stacks, stack: Stack, resource: StackResource, status: str, reason: str = "") -> None:
    stack.tell(resource, status, stacks.clock.now(), reason)


def _new_name(stack_name: str, logical_id: str, limit: int, is_lower: bool) -> str:  # noqa: FBT001 - of the type.
    """A name as CloudFormation makes them: of the stack, the resource, and twelve letters and digits of its own."""
    suffix = "".join(CHANCE.choice(_NAME_LETTERS) for _ in range(12))
    room = limit - len(suffix) - 2
    own = logical_id[: max(room - 8, room // 2)]
    name = f"{stack_name[: room - len(own)].rstrip('-')}-{own}-{suffix}"
    return name.lower() if is_lower else name


_NAME_LETTERS = string.ascii_letters + string.digits

_DYNAMIC = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):([^}]+)\}\}")


def _resolved(api: Api, found: re.Match[str]) -> str:
    service, rest = found[1], found[2]
    if service != "secretsmanager":
        parameter = api.call("ssm", "GetParameter", Name=rest.rstrip(":"), WithDecryption=True)
        return str(parameter["Parameter"]["Value"])
    # secret-id:SecretString:json-key:version-stage:version-id; the id may be an ARN, which has colons of its own.
    secret_id, _, selection = rest.partition(":SecretString")
    key = [*selection.split(":"), ""][1] if selection else ""
    secret = str(api.call("secretsmanager", "GetSecretValue", SecretId=secret_id)["SecretString"])
    if not key:
        return secret
    try:
        return str(json.loads(secret)[key])
    except (ValueError, KeyError, TypeError):
        raise ResourceFailedError(
            f"Could not find a value associated with JSONKey in SecretString of {secret_id}"
        ) from None
