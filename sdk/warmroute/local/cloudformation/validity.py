"""What is refused of a template, by itself and with its parameters, before anything is made of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.intrinsics import references, taken
from warmroute.local.cloudformation.parameters import refuse_parameters
from warmroute.local.cloudformation.refusals import invalid, template_error
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.structure import refuse_malformed
from warmroute.local.cloudformation.target import TargetScope, named_dependencies
from warmroute.local.cloudformation.types import SUPPORTED, is_supported

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.local.cloudformation.stacks import Stacks
    from warmroute.local.cloudformation.target import Target


def refuse_impossible(template: Mapping[str, Any]) -> None:
    """Refuse a template that no stack can follow, before anything is made of it.

    Raises:
        RefusedError: With the first fault, in CloudFormation's words.
    """
    refuse_malformed(template)
    refuse_parameters(template)
    resources = template.get("Resources")
    if not resources:
        raise template_error("At least one Resources member must be defined.")
    if template.get("Transform"):
        raise invalid(f"Transform {template['Transform']} is not known to the local endpoint; transform it beforehand.")
    _refuse_types({declaration["Type"] for declaration in resources.values()})
    for block in ("Resources", "Outputs"):
        _refuse_references(template, block)


def refuse_conflicts(stacks: Stacks, target: Target) -> None:
    """Refuse what the values of the parameters make impossible.

    Raises:
        RefusedError: Something refers to a resource whose condition does not hold, two outputs have one export name, or
            resources need each other.
    """
    scope = TargetScope(target, {}, stacks)
    wanted = target.declarations
    for block, section in (("Resources", wanted), ("Outputs", scope.wanted_outputs())):
        named = {
            name
            for declaration in section.values()
            for name, _ in references(taken(_evaluated_part(declaration, block), scope))
        }
        _refuse_missing(named & (target.template["Resources"].keys() - wanted.keys()), block)
    twice = sorted(name for name, times in Counter(scope.export_names()).items() if times > 1)
    if twice:
        raise template_error(f"Output export names must be unique: [{', '.join(twice)}]")


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
        {each for declaration in section.values() for each in named_dependencies(declaration) if each not in resources}
        if block == "Resources"
        else ()
    )
    _refuse_missing(missing, block)
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


def _refuse_missing(names: Iterable[str], block: str) -> None:
    missing = ", ".join(sorted(names))
    if missing:
        raise template_error(f"Unresolved resource dependencies [{missing}] in the {block} block of the template")


def _is_known(name: str, resources: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    return name in resources or name in parameters or name.startswith("AWS::")


def _evaluated_part(declaration: Mapping[str, Any], block: str) -> Any:
    return declaration.get("Properties") if block == "Resources" else declaration
