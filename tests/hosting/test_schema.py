"""An editor that applies the schema takes sound specs and marks broken ones."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import jsonschema
import pytest
import yaml
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, SERVERLESS, changed

from warmroute.hosting import EndpointSpec, json_schema

SCHEMA = json_schema()
EXAMPLE = yaml.safe_load(files("warmroute").joinpath("demo/endpoint.yaml").read_text("utf-8"))
BASE = "inference_components[0].specification"


def faults(values):
    return [error.json_path for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(values)]


def inside(schema):
    yield schema
    for item in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from inside(item)


def test_it_is_a_schema_and_plain_json():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("values", [EXAMPLE, ONE_MODEL, SERVERLESS, COMPONENTS])
def test_a_sound_spec_is_taken(values):
    assert EndpointSpec.parse(values)
    assert faults(values) == []


def test_what_is_dumped_of_a_spec_is_taken():
    spec = EndpointSpec.parse(changed(COMPONENTS, {"tags": {"team": "chat"}, "models": {"b": ONE_MODEL["model"]}}))
    assert faults(json.loads(spec.model_dump_json())) == []


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"name": DROP}, "$"),
        ({"nmae": "chat"}, "$"),
        ({"variants": []}, "$.variants"),
        ({"name": "my chat"}, "$.name"),
        ({"variants[0].initial_instance_count": 0}, "$.variants[0].initial_instance_count"),
        ({"variants[0].initial_instance_count": "4"}, "$.variants[0].initial_instance_count"),
        ({"variants[0].initial_instances": 4}, "$.variants[0]"),
        ({"variants[0].instance_type": "p5.48xlarge"}, "$.variants[0].instance_type"),
        ({"variants[0].routing_config": {"routing_strategy": "STICKY"}}, "$.variants[0].routing_config"),
        ({"model": {"source": {"s3_prefix": "s3://models/llama"}}}, "$.model"),
        ({"model.environment": {"A-B": "c"}}, "$.model"),
        ({"model.environment": {f"A{number}": "" for number in range(101)}}, "$.model"),
        ({"models": {"a b": ONE_MODEL["model"]}}, "$.models"),
        ({"models": {}}, "$.models"),
        ({"tags": {f"key{number}": "" for number in range(51)}}, "$.tags"),
        ({"tags": {"": "a"}}, "$.tags"),
        ({"tags": {"a": 1}}, "$.tags"),
    ],
)
def test_a_broken_spec_is_marked(changes, path):
    assert faults(changed(EXAMPLE, changes)) == [path]


def test_patterns_are_ecmascripts_and_hold_the_whole_text():
    patterns = {each["pattern"] for each in inside(SCHEMA) if isinstance(each, dict) and "pattern" in each}
    assert len(patterns) > 10
    for pattern in patterns:
        assert pattern.startswith("^")
        assert pattern.endswith("$")
        assert not re.search(r"\\[AZw]|\(\?P", pattern)


def test_every_field_is_described_under_our_own_name():
    for each in inside(SCHEMA):
        properties = each.get("properties", {}) if isinstance(each, dict) else {}
        for name, field in properties.items():
            assert name == name.lower()
            assert field["description"].endswith(".")
