"""A query in steps, each written in Ibis, as the SQL of an engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warmroute.traffic.digest.engines.functions import Functions


class Query:
    """Tables made one from the other; Ibis alone would write what a table has into each use of it.

    Args:
        functions: Those of the engine.
    """

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self._steps: list[str] = []

    def step(self, name: str, expression: Any) -> Any:
        """Name a table of the query.

        Args:
            name: What later steps call it.
            expression: What it is made of, in Ibis.

        Returns:
            A table in Ibis with its columns.
        """
        import ibis

        self._steps.append(f"{name} AS ({self._compiled(expression)})")
        return ibis.table(expression.schema(), name)

    def given(self, name: str, sql: str) -> None:
        """Name a table that is made by SQL as it is."""
        self._steps.append(f"{name} AS ({sql})")

    def sql(self, expression: Any) -> str:
        """The whole query.

        Args:
            expression: Its result, in Ibis.
        """
        steps = f"WITH {', '.join(self._steps)} " if self._steps else ""
        return steps + self._compiled(expression)

    def _compiled(self, expression: Any) -> str:
        import ibis
        import sqlglot

        dialect = self.functions.dialect
        tree = sqlglot.parse_one(str(ibis.to_sql(expression, dialect)), dialect=dialect)
        return str(_expanded(tree, self.functions).sql(dialect=dialect))


def _expanded(tree: Any, functions: Functions) -> Any:
    """A tree of SQL with the engine's SQL for each call of one of its functions."""
    import sqlglot

    def expanded(node: Any) -> Any:
        if not isinstance(node, sqlglot.exp.Anonymous) or node.name.lower() not in functions.sql:
            return node
        arguments = [_expanded(argument, functions).sql(dialect=functions.dialect) for argument in node.expressions]
        sql = re.sub(r"\b_([1-3])\b", lambda found: arguments[int(found[1]) - 1], functions.sql[node.name.lower()])
        return sqlglot.exp.var(f"({sql})")  # As it is: sqlglot would write the calls that it knows in its own way.

    return tree.transform(expanded)
