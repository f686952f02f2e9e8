"""Undoing what an operation on a stack has changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from warmroute.local.cloudformation.refusals import ResourceFailedError
from warmroute.local.cloudformation.resources import change, refresh, remove, skip

if TYPE_CHECKING:
    from collections.abc import Collection

    from warmroute.local.cloudformation.stacks import Operation, Stack, StackResource, Stacks

    Journal = list["Entry"]
    """What was changed, in that order."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One change: a resource that is new, or is another than before, or has other properties than before."""

    resource: StackResource
    """As it is now."""

    before: StackResource | None
    """As it was; none where it is new."""

    @property
    def is_in_place(self) -> bool:
        """Whether it is the same resource with other properties."""
        return self.before is not None and self.before.physical_id == self.resource.physical_id


def undo(stacks: Stacks, stack: Stack, *, skipping: Collection[str] = ()) -> Operation:
    """Undo what the journal of a stack says, last first.

    Args:
        stacks: The account.
        stack: The stack; its journal keeps what could not be undone.
        skipping: Logical ids of resources that are left as they are.

    Raises:
        ResourceFailedError: Something cannot be undone; the next call goes on there.
    """
    while stack.journal:
        entry = stack.journal[-1]
        if entry.resource.logical_id not in skipping:
            yield from _undo(stacks, stack, entry)
        elif entry.before is None:
            stack.resources.pop(entry.resource.logical_id, None)
        stack.journal.pop()


def _undo(stacks: Stacks, stack: Stack, entry: Entry) -> Operation:
    resource, before = entry.resource, entry.before
    logical_id = resource.logical_id
    if before is not None and entry.is_in_place:
        try:
            yield from change(stacks, stack, resource, before.properties)
        except ResourceFailedError as failed:
            stack.tell(resource, "UPDATE_FAILED", stacks.clock.now(), failed.reason)
            raise
        kept = replace(before, status="UPDATE_COMPLETE", attributes=resource.attributes, handle=resource.handle)
        stack.resources[logical_id] = kept
        return
    if resource.physical_id and resource.is_retained("DeletionPolicy") and not _is_only_kept_later(resource):
        skip(stacks, stack, resource)
    else:
        yield from remove(stacks, stack, resource)
    if before is None:
        stack.resources.pop(logical_id, None)
    else:
        stack.resources[logical_id] = before
        refresh(stacks, before)


def _is_only_kept_later(resource: StackResource) -> bool:
    return resource.declaration.get("DeletionPolicy") == "RetainExceptOnCreate"
