"""What a stack is told to be: a template with its parameters, and what its values come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.intrinsics import NO_VALUE, as_text, evaluate, holds, references
from warmroute.local.cloudformation.refusals import invalid, template_error
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.structure import refuse_malformed
from warmroute.local.cloudformation.types import SUPPORTED, is_supported

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
        scope = Scope(self, {})
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


class Scope:
    """What the functions of a target's template refer to.

    Args:
        target: The target.
        resources: The resources that exist, by logical id.
        stacks: What exists beside it; needed for imports.
        arn: ARN of the stack.
    """

    def __init__(
        self,
        target: Target,
        resources: Mapping[str, StackResource],
        stacks: Stacks | None = None,
        *,
        arn: str = "",
    ) -> None:
        self._target = target
        self._resources = resources
        self._stacks = stacks
        self.imports: set[str] = set()
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

    def outputs(self) -> list[dict[str, Any]]:
        """The outputs of the template, as DescribeStacks has them."""
        made = []
        for key, declaration in (self._target.template.get("Outputs") or {}).items():
            if "Condition" in declaration and not self.condition(declaration["Condition"]):
                continue
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

    def _resource(self, logical_id: str) -> StackResource:
        if logical_id not in self._resources:
            raise template_error(
                f"Unresolved resource dependencies [{logical_id}] in the Resources block of the template"
            )
        return self._resources[logical_id]


def refuse_impossible(template: Mapping[str, Any]) -> None:
    """Refuse a template that no stack can follow, before anything is made of it.

    Raises:
        RefusedError: With the first fault, in CloudFormation's words.
    """
    refuse_malformed(template)
    resources = template.get("Resources")
    if not resources:
        raise template_error("At least one Resources member must be defined.")
    if template.get("Transform"):
        raise invalid(f"Transform {template['Transform']} is not known to the local endpoint; transform it beforehand.")
    _refuse_types({declaration["Type"] for declaration in resources.values()})
    for block in ("Resources", "Outputs"):
        _refuse_references(template, block)


def _refuse_types(names: set[str]) -> None:
    unknown = sorted(name for name in names if not is_supported(name))
    if not unknown:
        return
    real = [name for name in unknown if schema_of(name) is not None or name.startswith("Custom::")]
    remark = ""
    if real:
        remark = (
            f" (AWS has {', '.join(real)}, the local endpoint does not; it makes {len(SUPPORTED)} types and moto's)"
        )
    raise template_error(f"Unrecognized resource types: [{', '.join(unknown)}]{remark}")


def _refuse_references(template: Mapping[str, Any], block: str) -> None:
    resources = template["Resources"]
    parameters = template.get("Parameters") or {}
    section = template.get(block) or {}
    named = [pair for each in section.values() for pair in references(_evaluated_part(each, block))]
    missing = sorted({name for name, _ in named if not _is_known(name, resources, parameters)})
    missing += sorted(
        {each for declaration in section.values() for each in _named_dependencies(declaration) if each not in resources}
        if block == "Resources"
        else ()
    )
    if missing:
        raise template_error(
            f"Unresolved resource dependencies [{', '.join(missing)}] in the {block} block of the template"
        )
    for logical_id, attribute in named:
        if attribute is None or logical_id not in resources:
            continue
        kind = resources[logical_id]["Type"]
        schema = schema_of(kind)
        extra = SUPPORTED[kind].attribute_names if kind in SUPPORTED else ()
        if schema is not None and not schema.has_attribute(attribute) and attribute not in extra:
            raise invalid(
                f"Template error: resource {logical_id} does not support attribute type {attribute} in Fn::GetAtt"
            )


def _is_known(name: str, resources: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    return name in resources or name in parameters or name.startswith("AWS::")


def _evaluated_part(declaration: Mapping[str, Any], block: str) -> Any:
    return declaration.get("Properties") if block == "Resources" else declaration


def _dependencies(declaration: Mapping[str, Any]) -> frozenset[str]:
    named = {name for name, _ in references(declaration.get("Properties"))}
    return frozenset({*named, *_named_dependencies(declaration)})


def _named_dependencies(declaration: Mapping[str, Any]) -> list[str]:
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
