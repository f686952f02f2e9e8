"""``warmroute schema``: the JSON Schema of a spec."""

from __future__ import annotations

from warmroute.cli.output import print_json


def schema() -> None:
    """Print the JSON Schema of a spec, for editors that complete and check YAML.

    Example: warmroute schema > endpoint.schema.json
    """
    from warmroute.hosting import json_schema

    print_json(json_schema())
