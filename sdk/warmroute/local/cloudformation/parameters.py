"""Parameters: what a stack was given, and the values that they have in its template."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warmroute.local.cloudformation.intrinsics import as_text
from warmroute.local.cloudformation.refusals import invalid, template_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_SSM = "AWS::SSM::Parameter::Value<"


def given_parameters(wanted: Iterable[Mapping[str, Any]], before: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a request; those that keep their value have the one that was given, if any was.

    Args:
        wanted: The parameters as the request has them.
        before: What the stack was given.
    """
    given: dict[str, str] = {}
    for parameter in wanted:
        name = parameter["ParameterKey"]
        if parameter.get("UsePreviousValue"):
            if parameter.get("ParameterValue"):
                raise invalid(
                    f"Invalid input for parameter key {name}. Cannot specify usePreviousValue as true and non empty "
                    "value for a parameter"
                )
            if name in before:
                given[name] = before[name]
        else:
            given[name] = parameter.get("ParameterValue", "")
    return given


def parameter_values(
    template: Mapping[str, Any], given: Mapping[str, str], stored: Callable[[str], str | None]
) -> dict[str, Any]:
    """The value that each parameter of a template has.

    Args:
        template: The template.
        given: Values that are not the defaults.
        stored: A value of Systems Manager's parameter store.

    Raises:
        RefusedError: One is missing, too many, or not allowed.
    """
    declared: Mapping[str, Mapping[str, Any]] = template.get("Parameters") or {}
    unknown = [name for name in given if name not in declared]
    if unknown:
        raise invalid(f"Parameters: [{', '.join(unknown)}] do not exist in the template")
    missing = [name for name, each in declared.items() if name not in given and "Default" not in each]
    if missing:
        raise invalid(f"Parameters: [{', '.join(missing)}] must have values")
    return {
        name: _value(name, declaration, as_text(given.get(name, declaration.get("Default", ""))), stored)
        for name, declaration in declared.items()
    }


def refuse_parameters(template: Mapping[str, Any]) -> None:
    """Refuse parameters of types that CloudFormation does not have.

    Args:
        template: The template.

    Raises:
        RefusedError: One has such a type, or none.
    """
    from cfnlint.helpers import VALID_PARAMETER_TYPES

    for name, declaration in (template.get("Parameters") or {}).items():
        if "Type" not in declaration:
            raise template_error(f"[/Parameters/{name}] Every Parameters object must contain a Type member.")
        if declaration["Type"] not in VALID_PARAMETER_TYPES:
            raise template_error(f"Unrecognized parameter type: {declaration['Type']}")


HIDDEN = "****"
"""What is shown of a parameter that is not to be seen. Source: CloudFormation, of NoEcho."""


def hidden_parameters(template: Mapping[str, Any]) -> set[str]:
    """The parameters whose values no call may show.

    Args:
        template: The template.
    """
    declared: Mapping[str, Mapping[str, Any]] = template.get("Parameters") or {}
    return {name for name, each in declared.items() if as_text(each.get("NoEcho", False)) == "true"}


def _value(name: str, declaration: Mapping[str, Any], given: str, stored: Callable[[str], str | None]) -> Any:
    kind: str = declaration["Type"]
    if kind.startswith(_SSM):
        found = stored(given)
        if found is None:
            raise invalid(f"Unable to fetch parameters [{given}] from parameter store for this account.")
        kind, given = kind[len(_SSM) : -1], found
    if kind == "CommaDelimitedList" or kind.startswith("List<"):
        each_of = [each.strip() for each in given.split(",")] if given else []
        for each in each_of:
            _check(name, declaration, each, is_number=kind == "List<Number>")
        return each_of
    _check(name, declaration, given, is_number=kind == "Number")
    return given


def _check(name: str, declaration: Mapping[str, Any], given: str, *, is_number: bool) -> None:
    if is_number and not re.fullmatch(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?", given):
        raise invalid(f"Parameter '{name}' must be a number.")
    allowed = declaration.get("AllowedValues")
    if allowed and given not in map(as_text, allowed):
        raise invalid(f"Parameter '{name}' must be one of AllowedValues")
    pattern = declaration.get("AllowedPattern")
    try:
        fits = not pattern or re.fullmatch(pattern, given)
    except re.error:
        raise template_error(f"AllowedPattern of parameter {name} is no pattern.") from None
    if not fits:
        raise invalid(f"Parameter '{name}' must match pattern {pattern}")
    for limit, fails in _LIMITS.items():
        if limit in declaration:
            try:
                failed = fails(given, float(declaration[limit]))
            except ValueError:
                raise template_error(f"{limit} of parameter {name} is not a number.") from None
            if failed:
                raise invalid(f"Parameter '{name}' failed to satisfy constraint: {limit} {declaration[limit]}")


_LIMITS: dict[str, Callable[[str, float], bool]] = {
    "MinLength": lambda given, limit: len(given) < limit,
    "MaxLength": lambda given, limit: len(given) > limit,
    "MinValue": lambda given, limit: float(given) < limit,
    "MaxValue": lambda given, limit: float(given) > limit,
}
