"""A plan as a person reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from warmroute.cli.output import is_terminal, print_findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy import Change, HourlyCost, Plan

_MARKS = {"create": ("+", "green"), "update": ("~", "yellow"), "replace": ("±", "yellow"), "delete": ("-", "red")}


def print_plan(plan: Plan, name: str) -> None:
    """Print a plan: what changes, resource by resource, and what that means.

    Args:
        plan: The plan.
        name: What the spec is called, for its findings.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True, no_color=None if is_terminal() else True)
    for text, style in _lines(plan):
        console.print(Text(text, style=style))
    print_findings(plan.findings, name)


def _lines(plan: Plan) -> Iterator[tuple[str, str]]:
    yield f"{plan.endpoint} in {plan.region}", "bold"
    for change in plan.changes:
        if change.action in _MARKS:
            yield from _of_change(change)
        elif change.note:
            yield f"    {change.kind} {change.name}: {change.note}", "dim"
    for sentence in plan.traffic:
        yield f"  {sentence}", ""
    for count in plan.instances if not plan.is_empty else ():
        text = f"  {count.instance_type}: {count.now} now, {count.peak} at the peak, {count.after} after"
        yield text + (f", {count.most} when scaled out" if count.most > count.after else ""), ""
    if plan.cost is not None:
        yield f"  {_cost(plan.cost)}", ""
    yield _summary(plan), "bold"


def _of_change(change: Change) -> Iterator[tuple[str, str]]:
    mark, style = _MARKS[change.action]
    line = f"  {mark} {change.action} {change.kind} {change.name}"
    if change.replaces:
        line += f", in place of {change.replaces}"
    yield line + (f" ({change.note})" if change.note else ""), style
    for field in change.fields:
        yield f"      {field.path}: {_value(field.old)} → {_value(field.new)}", ""


def _value(value: Any) -> str:
    if value is None:
        return "(none)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _cost(cost: HourlyCost) -> str:
    text = (
        f"Instances cost {cost.now:,.2f} {cost.currency} an hour now, {cost.during:,.2f} during the change, "
        f"{cost.after:,.2f} after it"
    )
    text += f", {cost.most:,.2f} when scaled out" if cost.most > cost.after else ""
    unknown = f" No price is known for {', '.join(cost.unknown)}." if cost.unknown else ""
    return f"{text} (prices of {cost.as_of}).{unknown}"


def _summary(plan: Plan) -> str:
    if plan.is_empty:
        return "Nothing to do."
    counts = {action: sum(change.action == action for change in plan.changes) for action in (*_MARKS, "nothing")}
    words = {"nothing": "unchanged"}
    return ", ".join(f"{count} {words.get(action, f'to {action}')}" for action, count in counts.items() if count) + "."
