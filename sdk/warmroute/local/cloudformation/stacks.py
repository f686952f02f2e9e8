"""Stacks: what one account has in one region, and what is under way."""

from __future__ import annotations

import itertools
import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.refusals import ResourceFailedError, invalid, no_stack
from warmroute.local.control.chance import CHANCE, chance_of
from warmroute.local.control.registry import TIMING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.rollback import Journal
    from warmroute.local.cloudformation.target import Target
    from warmroute.local.control.clock import Clock

    Operation = Iterator[None]
    """Something under way: each step goes on until it must wait."""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a stack or to one of its resources."""

    number: str
    logical_id: str
    physical_id: str
    type: str
    status: str
    reason: str
    when: float
    """Seconds of the clock."""


@dataclass(eq=False)
class StackResource:
    """A resource of a stack, as it was made."""

    logical_id: str
    type: str
    properties: Mapping[str, Any]
    """Resolved, and in the types of the schema."""

    declaration: Mapping[str, Any]
    """What the template says of it."""

    dependencies: frozenset[str]
    physical_id: str = ""
    status: str = "CREATE_IN_PROGRESS"
    reason: str = ""
    updated: float = 0.0
    attributes: dict[str, Any] = field(default_factory=dict)
    """What Fn::GetAtt gives."""

    handle: Any = None
    """moto's own object, of types that only moto's adapter makes."""

    drift: Mapping[str, Any] = field(default_factory=dict)
    """What the last detection found, as DescribeStackResourceDrifts has it; empty before the first."""

    @property
    def drift_status(self) -> str:
        """What the last detection came to."""
        return str(self.drift.get("StackResourceDriftStatus", "NOT_CHECKED"))

    def is_retained(self, attribute: str) -> bool:
        """Whether the template wants it kept when it is deleted or replaced."""
        return self.declaration.get(attribute) in {"Retain", "RetainExceptOnCreate"}


@dataclass(eq=False)
class ChangeSet:
    """What would happen to a stack."""

    name: str
    arn: str
    type: str
    """CREATE, UPDATE or IMPORT."""

    target: Target
    changes: list[dict[str, Any]]
    created: float
    description: str | None = None
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    execution_status: str = "AVAILABLE"
    on_failure: str = "ROLLBACK"
    imported: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Identifiers of existing resources to be imported, by logical id."""


@dataclass(eq=False)
class Stack:
    """A stack, with everything that happened to it."""

    name: str
    arn: str
    created: float
    target: Target
    """What it was last told to be."""

    status: str = "REVIEW_IN_PROGRESS"
    reason: str = ""
    updated: float | None = None
    deleted: float | None = None
    resources: dict[str, StackResource] = field(default_factory=dict)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    """Names of the exports that it uses."""

    events: list[Event] = field(default_factory=list)
    change_sets: dict[str, ChangeSet] = field(default_factory=dict)
    operation: Operation | None = None
    journal: Journal = field(default_factory=list)
    """What the last operation changed and nobody has undone."""

    previous: Target | None = None
    """What the stack goes back to when its update fails."""

    is_protected: bool = False
    is_cancelled: bool = False
    disable_rollback: bool = False
    policy: str | None = None
    drift_status: str = "NOT_CHECKED"
    drift_checked: float | None = None
    executed: ChangeSet | None = None
    """The change set that was executed last."""

    serials: Iterator[int] = field(default_factory=itertools.count)

    @property
    def in_progress(self) -> bool:
        """Whether something is under way."""
        return self.operation is not None

    def become(self, status: str, when: float, reason: str = "") -> None:
        """Change the stack's status, which is an event."""
        self.status, self.reason = status, reason
        self._add_event(self.name, self.arn, "AWS::CloudFormation::Stack", status, reason, when)

    def resource(self, logical_id: str) -> StackResource:
        """A resource of the stack.

        Raises:
            RefusedError: It has none of the name.
        """
        if logical_id not in self.resources:
            raise invalid(f"Resource {logical_id} does not exist for stack {self.name}")
        return self.resources[logical_id]

    def tell(self, resource: StackResource, status: str, when: float, reason: str = "") -> None:
        """Change a resource's status, which is an event."""
        resource.status, resource.reason, resource.updated = status, reason, when
        self._add_event(resource.logical_id, resource.physical_id, resource.type, status, reason, when)

    def _add_event(self, logical_id: str, physical_id: str, kind: str, status: str, reason: str, when: float) -> None:
        number = f"{logical_id}-{status}-{next(self.serials)}-{CHANCE.uuid4()}"
        # A millisecond apart: readers such as the CDK sort events by their time, which has no more digits there.
        then = max(when, self.events[-1].when + 0.001) if self.events else when
        self.events.append(Event(number, logical_id, physical_id, kind, status, reason, round(then, 3)))


@dataclass(eq=False)
class Stacks:
    """The stacks of one account in one region.

    Every use holds ``lock`` and has called ``settle`` first.
    """

    api: Api
    partition: str
    clock: Clock = field(default_factory=lambda: TIMING.clock)
    stacks: dict[str, Stack] = field(default_factory=dict)
    """By ARN, deleted ones too."""

    drift_detections: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    is_advancing: bool = False
    """Whether an operation is going on at this moment; the calls that it makes come past here too."""

    def settle(self) -> None:
        """Let everything under way go on until it must wait again."""
        if self.is_advancing:
            return
        for stack in [stack for stack in self.stacks.values() if stack.operation is not None]:
            self.advance(stack)

    def advance(self, stack: Stack) -> None:
        """Let what is under way for a stack go on until it must wait again."""
        operation = stack.operation
        if operation is None:
            return
        self.is_advancing = True
        try:
            # How often it was waited for draws too, and differs from one time to the other; what happened does not.
            with chance_of(f"{stack.arn}/{len(stack.events)}"):
                next(operation)
        except StopIteration:
            if stack.operation is operation:
                stack.operation = None
        except Exception as error:
            # A fault of ours or of moto's: a stack that stays in progress for ever would hide it.
            _LOGGER.exception("An operation on stack %s failed.", stack.name)
            stack.operation = None
            failed = stack.status.replace("_COMPLETE_CLEANUP", "").replace("_IN_PROGRESS", "_FAILED")
            stack.become(failed, self.clock.now(), f"Internal Failure: {error!r}")
        finally:
            self.is_advancing = False

    def new_arn(self, kind: str, name: str) -> str:
        """The ARN of a stack or change set that is about to be made."""
        where = f"arn:{self.partition}:cloudformation:{self.api.region}:{self.api.account}"
        return f"{where}:{kind}/{name}/{CHANCE.uuid4()}"

    def add(self, stack: Stack) -> None:
        """Let the account have a stack, which it may have already."""
        self.stacks[stack.arn] = stack

    def live(self) -> list[Stack]:
        """The stacks that have not been deleted."""
        return [stack for stack in self.stacks.values() if stack.status != "DELETE_COMPLETE"]

    def look_up(self, name: str) -> Stack | None:
        """The stack of a name, or of an ARN, by which deleted ones are found too."""
        if name in self.stacks:
            return self.stacks[name]
        return next((stack for stack in self.live() if stack.name == name), None)

    def find(self, name: str) -> Stack:
        """The stack of a name or an ARN.

        Raises:
            RefusedError: There is none.
        """
        found = self.look_up(name)
        if found is None:
            raise no_stack(name)
        return found

    def exports(self) -> dict[str, tuple[Stack, str]]:
        """Every export's stack and value, by its name."""
        return {
            output["ExportName"]: (stack, output["OutputValue"])
            for stack in self.live()
            for output in stack.outputs
            if output.get("ExportName")
        }

    def importers(self, name: str) -> list[str]:
        """The stacks that use an export."""
        return sorted(stack.name for stack in self.live() if name in stack.imports)

    def refuse_owned(self, resource: StackResource, *, among: Sequence[StackResource] = ()) -> None:
        """Refuse what another resource of a stack is already.

        Args:
            resource: The resource, which has its physical id.
            among: What else there is: resources that an update has replaced and not deleted yet.

        Raises:
            ResourceFailedError: One has its type and physical id.
        """
        owned = [(each, f"stack {stack.arn}") for stack in self.live() for each in stack.resources.values()]
        for each, where in (*owned, *((each, "this stack, which replaces it") for each in among)):
            if each is not resource and (each.type, each.physical_id) == (resource.type, resource.physical_id):
                raise ResourceFailedError(f"{resource.physical_id} already exists in {where}")

    def refuse_if_busy(self, stack: Stack, *, doing: str = "updated") -> None:
        """Refuse a second operation on a stack.

        Raises:
            RefusedError: One is under way.
        """
        if stack.in_progress:
            raise invalid(f"Stack:{stack.arn} is in {stack.status} state and can not be {doing}.")
