"""Puts the two values into the text of a spec; all else in it stays as it is, comments and order included."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from warmroute.errors import DocumentError
from warmroute.hosting import parse_spec
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

_Edit = tuple[int, int, str]
"""From where to where, and what to put there."""


def with_routing(text: str, *, name: str, variant: int, prefix_length: int, concurrency_threshold: int) -> str:
    """The text of a spec with other values of PREFIX_AWARE.

    Values that are there are replaced where they stand; a ``routing_config`` that is lacking is added at the end of a
    variant in block style.

    Args:
        text: A spec as YAML or JSON.
        name: What to call it in messages.
        variant: Position of the variant.
        prefix_length: The new length.
        concurrency_threshold: The new threshold.

    Raises:
        DocumentError: The text is written in a way that cannot be edited without changing more.
    """
    values = {"prefix_length": prefix_length, "concurrency_threshold": concurrency_threshold}
    try:
        edits = sorted(_edits(text, variant, values), reverse=True)
    except _CannotEditError as error:
        raise _refusal(name, str(error), values) from None
    edited = text
    for begin, end, new in edits:
        edited = edited[:begin] + new + edited[end:]
    wanted = RoutingConfig.prefix_aware(**values)
    before, after = parse_spec(text, name=name), parse_spec(edited, name=name)
    expected = list(before.variants)
    expected[variant] = expected[variant].model_copy(update={"routing_config": wanted})
    if after != before.model_copy(update={"variants": tuple(expected)}):
        raise _refusal(name, "the edit would change more than these values", values)
    return edited


def write_routing(path: str, *, variant: int, prefix_length: int, concurrency_threshold: int) -> None:
    """Put values of PREFIX_AWARE into a spec's file.

    Args:
        path: The file.
        variant: Position of the variant.
        prefix_length: The new length.
        concurrency_threshold: The new threshold.

    Raises:
        DocumentError: The file cannot be read, edited in place, or written.
    """
    file = Path(path)
    try:
        text = file.read_bytes().decode()
        edited = with_routing(
            text,
            name=path,
            variant=variant,
            prefix_length=prefix_length,
            concurrency_threshold=concurrency_threshold,
        )
        file.write_bytes(edited.encode())
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}.", "Check the path and its permissions.") from None


class _CannotEditError(Exception):
    """Why a text cannot be edited in place."""


def _edits(text: str, variant: int, values: dict[str, int]) -> Iterator[_Edit]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    variants = _member(root, "variants", "ProductionVariants")
    if not isinstance(variants, yaml.SequenceNode):
        raise _CannotEditError("its variants are not a list in the text")
    node = variants.value[variant]
    routing = _member(node, "routing_config", "RoutingConfig")
    if routing is None:
        yield _added(node, _lines({"routing_strategy": "PREFIX_AWARE"}, values), text)
        return
    strategy = _member(routing, "routing_strategy", "RoutingStrategy")
    if strategy is None:
        raise _CannotEditError("its routing_config names no strategy")
    if strategy.value != "PREFIX_AWARE":
        yield _replaced(strategy, "PREFIX_AWARE")
    settings = _member(routing, "prefix_aware_routing_config", "PrefixAwareRoutingConfig")
    if settings is None:
        yield _added(routing, _lines({}, values)[1:], text)
        return
    for key, alias in (("prefix_length", "PrefixLength"), ("concurrency_threshold", "ConcurrencyThreshold")):
        found = _member(settings, key, alias)
        if found is None:
            raise _CannotEditError(f"its {key} is not in the text")
        yield _replaced(found, str(values[key]))


def _member(node: yaml.Node | None, *names: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        raise _CannotEditError("a part of it is not a mapping in the text")
    return next((value for key, value in node.value if key.value in names), None)


def _replaced(node: yaml.Node, value: str) -> _Edit:
    quoted = f'"{value}"' if getattr(node, "style", None) == '"' else value
    return node.start_mark.index, node.end_mark.index, quoted


def _added(node: yaml.Node, lines: list[str], text: str) -> _Edit:
    """Lines put behind the last member of a mapping in block style, in line with its keys."""
    if not isinstance(node, yaml.MappingNode) or node.flow_style or not node.value:
        raise _CannotEditError("it is written in flow style there")
    indent = " " * int(node.value[0][0].start_mark.column)
    last = node.value[-1][1]
    end = text.find("\n", _end_of(last))
    newline = "\r\n" if "\r\n" in text else "\n"
    block = "".join(f"{indent}{line}{newline}" for line in lines)
    return (len(text), len(text), newline + block) if end < 0 else (end + 1, end + 1, block)


def _end_of(node: yaml.Node) -> int:
    """Where the text of a node ends; that of a block ends with its last scalar, not behind the comments that follow."""
    if isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end_of(last[1] if isinstance(last, tuple) else last)
    end = int(node.end_mark.index)
    return end - 1 if getattr(node, "style", None) in {"|", ">"} else end


def _lines(strategy: dict[str, str], values: dict[str, int]) -> list[str]:
    return [
        "routing_config:",
        *(f"  {key}: {value}" for key, value in strategy.items()),
        *(f"{'  ' if strategy else ''}{line}" for line in _settings(values)),
    ]


def _settings(values: dict[str, int]) -> list[str]:
    return ["prefix_aware_routing_config:", *(f"  {key}: {value}" for key, value in values.items())]


def _refusal(name: str, reason: str, values: dict[str, int]) -> DocumentError:
    told = ", ".join(f"{key}: {value}" for key, value in values.items())
    return DocumentError(f"{name}: cannot be edited in place: {reason}.", f"Put these in by hand: {told}.")
