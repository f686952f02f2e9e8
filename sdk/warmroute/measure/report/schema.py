"""The JSON schema of ``report.json``; the package has it as ``report.schema.json`` too, for other languages."""

from __future__ import annotations

from typing import Any

from warmroute.measure.report.document import VERSION, Report


def report_schema() -> dict[str, Any]:
    """The JSON schema that every ``report.json`` of this version meets."""
    found = Report.model_json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **found,
        "title": f"warmroute report, version {VERSION}",
    }
