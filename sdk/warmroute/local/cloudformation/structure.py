"""What every template must look like, whatever it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.refusals import invalid, template_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MOST_RESOURCES = 500
"""Source: CloudFormation quotas, resources in a template."""

_POLICIES = {
    "DeletionPolicy": ("Delete", "Retain", "RetainExceptOnCreate", "Snapshot"),
    "UpdateReplacePolicy": ("Delete", "Retain", "Snapshot"),
}
"""Source: CloudFormation's template reference, resource attributes."""

_SECTIONS = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs")


def refuse_malformed(template: Mapping[str, Any]) -> None:
    """Refuse a template whose parts are not of the shape that every reader of it relies on.

    Raises:
        RefusedError: With the first fault, in CloudFormation's words where they are known.
    """
    _refuse_sections(template)
    resources = template.get("Resources") or {}
    both = sorted((template.get("Parameters") or {}).keys() & resources.keys())
    if both:
        raise template_error(f"Parameters and resources must have names of their own: [{', '.join(both)}]")
    if len(resources) > MOST_RESOURCES:
        raise template_error(
            f"Number of resources, {len(resources)}, is greater than maximum allowed, {MOST_RESOURCES}"
        )
    for logical_id, declaration in resources.items():
        _refuse_resource(str(logical_id), declaration)
    for name, declaration in (template.get("Outputs") or {}).items():
        _refuse_output(name, declaration)
    conditions = template.get("Conditions") or {}
    for section in ("Conditions", "Outputs"):
        _refuse_functions(template.get(section), conditions)
    for declaration in resources.values():
        _refuse_functions(declaration.get("Properties"), conditions)
    for name in conditions:
        _refuse_circle(name, conditions, ())


def _refuse_sections(template: Mapping[str, Any]) -> None:
    for section in _SECTIONS:
        held = template.get(section)
        if held is not None and not isinstance(held, dict):
            raise template_error(f"[/{section}] object expected")
        for name, each in (held or {}).items():
            if not isinstance(each, dict) and not (section == "Conditions" and isinstance(each, bool)):
                raise template_error(f"[/{section}/{name}] object expected")


def _refuse_resource(logical_id: str, declaration: Mapping[str, Any]) -> None:
    if not (logical_id.isascii() and logical_id.isalnum()):
        raise template_error(f"Resource name {logical_id} is non alphanumeric.")
    if not isinstance(declaration.get("Type"), str):
        raise template_error(f"[/Resources/{logical_id}] Every Resources object must contain a Type member.")
    if not isinstance(declaration.get("Properties", {}), dict):
        raise template_error(f"[/Resources/{logical_id}/Properties] object expected")
    if not isinstance(declaration.get("Condition", ""), str):
        raise template_error(f"[/Resources/{logical_id}/Condition] string expected")
    for attribute, allowed in _POLICIES.items():
        policy = declaration.get(attribute, "Delete")
        if not isinstance(policy, str):
            raise template_error(f"[/Resources/{logical_id}] Every {attribute} member must be a string.")
        if policy not in allowed:
            raise template_error(f"Unrecognized {attribute} {policy} for resource {logical_id}")
    awaited = declaration.get("DependsOn", [])
    if not isinstance(awaited, (str, list)) or not all(isinstance(each, str) for each in awaited):
        raise template_error(f"[/Resources/{logical_id}/DependsOn] every DependsOn value must contain a String.")


def _refuse_output(name: str, declaration: Mapping[str, Any]) -> None:
    if declaration.get("Value") is None:
        raise template_error(f"[/Outputs/{name}] Every Outputs member must contain a Value object")
    if not isinstance(declaration.get("Condition", ""), str):
        raise template_error(f"[/Outputs/{name}/Condition] string expected")
    export = declaration.get("Export", {"Name": ""})
    if not isinstance(export, dict) or "Name" not in export:
        raise template_error(f"[/Outputs/{name}/Export] Every Export member must contain a Name object")


def _refuse_functions(value: Any, conditions: Mapping[str, Any]) -> None:
    for name, argument in _functions(value):
        if name in _SHAPES and not _SHAPES[name][0](argument):
            raise invalid(f"Template error: {_SHAPES[name][1]}")
        if name == "Fn::If" and argument[0] not in conditions:
            raise invalid(f"Template error: unresolved condition dependency {argument[0]} in Fn::If")


def _functions(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for each in value:
            yield from _functions(each)
    elif isinstance(value, dict):
        for name, argument in value.items():
            if len(value) == 1:
                yield name, argument
            yield from _functions(argument)


def _refuse_circle(name: str, conditions: Mapping[str, Any], on_the_way: tuple[str, ...]) -> None:
    if name in on_the_way:
        raise template_error(f"Circular dependency between conditions: [{', '.join(sorted(on_the_way))}]")
    for function, argument in _functions(conditions.get(name)):
        if function == "Condition" and isinstance(argument, str):
            _refuse_circle(argument, conditions, (*on_the_way, name))


def _is_attribute(argument: Any) -> bool:
    if isinstance(argument, str):
        return all(argument.partition("."))
    return isinstance(argument, list) and len(argument) > 1 and isinstance(argument[0], str)


def _is_substitution(argument: Any) -> bool:
    if isinstance(argument, list):
        return [type(each) for each in argument] == [str, dict]
    return isinstance(argument, str)


def _is_choice(argument: Any) -> bool:
    return isinstance(argument, list) and len(argument) == 3 and isinstance(argument[0], str)


_SUBSTITUTION = (
    "One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as first argument, "
    "and an optional second argument to specify a mapping of values to replace in the string"
)

_SHAPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "Ref": (lambda argument: isinstance(argument, str), "every Ref object must have a single String value."),
    "Fn::GetAtt": (
        _is_attribute,
        "every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource attribute",
    ),
    "Fn::Sub": (_is_substitution, _SUBSTITUTION),
    "Fn::If": (_is_choice, "Fn::If requires a list argument with the first element being a condition"),
}
"""What each function must be given, and what CloudFormation says where it is not."""
