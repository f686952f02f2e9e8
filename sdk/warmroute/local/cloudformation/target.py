"""What a stack is told to be: a template with its parameters, and what its values come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.intrinsics import NO_VALUE, as_text, evaluate, holds, references
from warmroute.local.cloudformation.refusals import invalid, template_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.local.cloudformation.stacks import StackResource, Stacks


@dataclass(frozen=True)
class Target:
    """A template, parameters and tags."""

    text: str
    template: Mapping[str, Any]
    given: Mapping[str, str] = field(default_factory=dict)
    """Parameters that were passed, as they were passed."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """What every parameter comes to."""

    tags: Mapping[str, str] = field(default_factory=dict)
    role_arn: str | None = None
    notification_arns: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    timeout_minutes: int | None = None
    pseudo_parameters: Mapping[str, str] = field(default_factory=dict)
    """What the account and its region say, for conditions too: ``AWS::Region``."""

    @cached_property
    def declarations(self) -> dict[str, Mapping[str, Any]]:
        """What the template says of each resource that is to exist, by logical id, in an order to make them in."""
        scope = TargetScope(self, {})
        wanted = {
            logical_id: declaration
            for logical_id, declaration in self.template["Resources"].items()
            if "Condition" not in declaration or scope.condition(declaration["Condition"])
        }
        return {logical_id: wanted[logical_id] for logical_id in _in_order(wanted)}

    def dependencies(self, logical_id: str) -> frozenset[str]:
        """The resources that a resource needs."""
        return _dependencies(self.template["Resources"][logical_id]) & self.declarations.keys()

    def says_the_same_as(self, other: Target) -> bool:
        """Whether a stack that is one needs no update to be the other."""
        return (self.template, self.values, self.tags) == (other.template, other.values, other.tags)


class TargetScope:
    """What the functions of a target's template refer to.

    Args:
        target: The target.
        resources: The resources that exist, by logical id.
        stacks: What exists beside it; needed for imports.
        arn: ARN of the stack.
        imports: Where the names of the exports go that are used.
    """

    def __init__(
        self,
        target: Target,
        resources: Mapping[str, StackResource],
        stacks: Stacks | None = None,
        *,
        arn: str = "",
        imports: set[str] | None = None,
    ) -> None:
        self._target = target
        self._resources = resources
        self._stacks = stacks
        self.imports: set[str] = imports if imports is not None else set()
        self._values: dict[str, Any] = {
            **target.values,
            **target.pseudo_parameters,
            "AWS::NoValue": NO_VALUE,
            "AWS::NotificationARNs": list(target.notification_arns),
            "AWS::StackId": arn,
        }

    def reference(self, name: str) -> Any:
        """The value of a parameter or pseudo parameter, or the physical id of a resource."""
        if name in self._values:
            return self._values[name]
        return self._resource(name).physical_id

    def attribute(self, logical_id: str, name: str) -> Any:
        """An attribute of a resource."""
        resource = self._resource(logical_id)
        for known in (resource.attributes, resource.properties):
            if name in known:
                return known[name]
        raise invalid(f"Template error: resource {logical_id} does not support attribute type {name} in Fn::GetAtt")

    def condition(self, name: str) -> bool:
        """Whether a condition holds."""
        conditions = self._target.template.get("Conditions") or {}
        if name not in conditions:
            raise template_error(f"Unresolved condition dependency {name} in the Resources block of the template")
        return holds(conditions[name], self)

    def mapping(self, name: str, first: str, second: str) -> Any:
        """A value of a mapping."""
        return self._target.template["Mappings"][name][first][second]

    def imported(self, name: str) -> str:
        """What another stack exports under a name."""
        found = self._stacks.exports().get(name) if self._stacks is not None else None
        if found is None:
            raise invalid(f"No export named {name} found.")
        self.imports.add(name)
        return found[1]

    def export_names(self) -> list[str]:
        """The names of the exports of the template, each as often as an output has it."""
        return [
            as_text(evaluate(each["Export"]["Name"], self))
            for each in self.wanted_outputs().values()
            if each.get("Export")
        ]

    def outputs(self) -> list[dict[str, Any]]:
        """The outputs of the template, as DescribeStacks has them."""
        made = []
        for key, declaration in self.wanted_outputs().items():
            value = evaluate(declaration["Value"], self)
            if not isinstance(value, (str, int, float)):
                raise template_error(
                    f"Output {key} is malformed. The Value field of every Outputs member must evaluate to a String."
                )
            output = {"OutputKey": key, "OutputValue": as_text(value)}
            if declaration.get("Description"):
                output["Description"] = declaration["Description"]
            if declaration.get("Export"):
                output["ExportName"] = evaluate(declaration["Export"]["Name"], self)
            made.append(output)
        return made

    def wanted_outputs(self) -> dict[str, Mapping[str, Any]]:
        """What the template says of each output whose condition holds."""
        return {
            key: declaration
            for key, declaration in (self._target.template.get("Outputs") or {}).items()
            if "Condition" not in declaration or self.condition(declaration["Condition"])
        }

    def _resource(self, logical_id: str) -> StackResource:
        if logical_id not in self._resources:
            raise template_error(
                f"Unresolved resource dependencies [{logical_id}] in the Resources block of the template"
            )
        return self._resources[logical_id]


def _dependencies(declaration: Mapping[str, Any]) -> frozenset[str]:
    named = {name for name, _ in references(declaration.get("Properties"))}
    return frozenset({*named, *named_dependencies(declaration)})


def named_dependencies(declaration: Mapping[str, Any]) -> list[str]:
    """The resources that a resource waits for by name.

    Args:
        declaration: What the template says of it.
    """
    named = declaration.get("DependsOn", [])
    return [named] if isinstance(named, str) else list(named)


def _in_order(declarations: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return order({logical_id: _dependencies(each) for logical_id, each in declarations.items()})


def order(dependencies: Mapping[str, frozenset[str]]) -> list[str]:
    """An order in which each resource comes after those that it needs.

    Args:
        dependencies: What each resource needs; what is not among the resources does not count.

    Raises:
        RefusedError: Resources need each other.
    """
    done: dict[str, None] = {}

    def visit(logical_id: str, on_the_way: tuple[str, ...]) -> None:
        if logical_id in done:
            return
        if logical_id in on_the_way:
            circle = on_the_way[on_the_way.index(logical_id) :]
            raise invalid(f"Circular dependency between resources: [{', '.join(sorted(circle))}]")
        for needed in _known(dependencies[logical_id], dependencies):
            visit(needed, (*on_the_way, logical_id))
        done[logical_id] = None

    for logical_id in dependencies:
        visit(logical_id, ())
    return list(done)


def _known(names: frozenset[str], among: Mapping[str, Any]) -> Iterator[str]:
    return (name for name in among if name in names)
