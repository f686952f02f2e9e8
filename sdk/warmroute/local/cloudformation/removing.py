"""Deletes resources of a stack, each before those that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.resources import remove, skip
from warmroute.local.cloudformation.target import order

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from warmroute.local.cloudformation.stacks import Operation, Stack, StackResource, Stacks


def clean_up(stacks: Stacks, stack: Stack) -> Operation:
    """Delete what a successful update has replaced or no longer has."""
    declared = stack.target.declarations
    replaced = replaced_resources(stack)
    removed = [resource for logical_id, resource in stack.resources.items() if logical_id not in declared]
    policies = {**dict.fromkeys(removed, "DeletionPolicy"), **dict.fromkeys(replaced, "UpdateReplacePolicy")}
    yield from remove_all(stacks, stack, policies)
    for resource in removed:
        del stack.resources[resource.logical_id]
    stack.journal.clear()


def replaced_resources(stack: Stack) -> list[StackResource]:
    """What updates have replaced and nobody has deleted yet; after a failed update there may be several of one id."""
    return [entry.before for entry in stack.journal if entry.before is not None and not entry.is_in_place]


def remove_all(
    stacks: Stacks, stack: Stack, policies: Mapping[StackResource, str], retaining: Collection[str] = ()
) -> Any:
    """Delete resources, each before those that it needs.

    Args:
        stacks: The account.
        stack: The stack.
        policies: The resources, each with the attribute that can keep it.
        retaining: Logical ids of resources that are kept anyway.

    Returns:
        The logical ids of those that cannot be deleted.
    """
    needed: dict[str, frozenset[str]] = {}
    for resource in policies:
        needed[resource.logical_id] = needed.get(resource.logical_id, frozenset()) | resource.dependencies
    failed: list[str] = []
    turns = {logical_id: turn for turn, logical_id in enumerate(reversed(order(needed)))}
    for resource in sorted(policies, key=lambda each: turns[each.logical_id]):
        logical_id = resource.logical_id
        if resource.is_retained(policies[resource]) or logical_id in retaining:
            skip(stacks, stack, resource)
            continue
        try:
            yield from remove(stacks, stack, resource)
        except ResourceFailedError:
            failed.append(logical_id)
            continue
        if stack.resources.get(logical_id) is resource and stack.status == "DELETE_IN_PROGRESS":
            del stack.resources[logical_id]
    return failed
