"""Templates: from text to what they declare, in JSON or in YAML with CloudFormation's short forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from warmroute.local.cloudformation.refusals import template_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    Template = Mapping[str, Any]
    """A template, with the long form of every function."""


def parse_template(text: str) -> dict[str, Any]:
    """Read a template.

    Args:
        text: JSON or YAML.

    Raises:
        RefusedError: It cannot be read, or it is no object.
    """
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError:
        parsed = _parse_yaml(text)
    except RecursionError:
        raise template_error("too deeply nested.") from None
    if not isinstance(parsed, dict):
        raise template_error("unsupported structure.")
    return parsed


def _parse_yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a loader without Python objects.
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise template_error(f"YAML not well-formed.{where}") from None
    except yaml.YAMLError:
        raise template_error("YAML not well-formed.") from None


class _Loader(yaml.SafeLoader):
    """YAML in which dates are words, as policy versions are, and tags are functions."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as yaml has it.
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _function(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    argument: Any
    if isinstance(node, yaml.MappingNode):
        argument = loader.construct_mapping(node, deep=True)
    elif isinstance(node, yaml.SequenceNode):
        argument = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.ScalarNode):
        argument = loader.construct_scalar(node)
    if suffix in {"Ref", "Condition"}:
        return {suffix: argument}
    if suffix == "GetAtt" and isinstance(argument, str):
        argument = argument.split(".", 1)
    return {f"Fn::{suffix}": argument}


_Loader.add_multi_constructor("!", _function)
