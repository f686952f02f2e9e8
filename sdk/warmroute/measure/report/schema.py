"""The JSON schema of ``report.json``, which the package ships."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def report_schema() -> dict[str, Any]:
    """The JSON schema that every ``report.json`` of this version meets."""
    schema: dict[str, Any] = json.loads(files(__package__).joinpath("report.schema.json").read_text(encoding="utf-8"))
    return schema
