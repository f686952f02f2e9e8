"""The JSON Schema of a spec, in the form that editors apply."""

from __future__ import annotations

from typing import Any

from warmroute.hosting.spec import EndpointSpec


def json_schema() -> dict[str, Any]:
    r"""The JSON Schema of a spec, for editors that complete and check YAML.

    It knows our own spelling of the fields, and what one field may hold; the rules across fields are
    ``warmroute.hosting.check``'s. A pattern with ``\w``, which means fewer letters to an editor than to Python,
    is left out.

    Returns:
        A schema of draft 2020-12 whose patterns are ECMAScript's.
    """
    schema = _ported(EndpointSpec.model_json_schema(by_alias=False))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, **_ABOUT}


_ABOUT = {
    "title": "A warmroute endpoint",
    "description": "An endpoint with everything that belongs to it: models, variants, components, scaling, guardrails.",
}


def _ported(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_ported(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ported = {key: _ported(item) for key, item in schema.items() if key not in {"pattern", "patternProperties"}}
    if isinstance(schema.get("pattern"), str):
        ported |= _pattern(schema["pattern"])
    for pattern, values in schema.get("patternProperties", {}).items():
        # A pattern of keys alone would let every other key pass.
        ported["propertyNames"] = {**ported.get("propertyNames", {}), **_pattern(pattern)}
        ported["additionalProperties"] = _ported(values)
    return ported


def _pattern(pattern: str) -> dict[str, str]:
    return {} if r"\w" in pattern else {"pattern": pattern.replace(r"\A", "^").replace(r"\Z", "$")}
