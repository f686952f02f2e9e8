"""How AWS's vLLM container reads its variables and vLLM its arguments, written from their documentation."""

from __future__ import annotations

import argparse
import json
from typing import Any

from warmroute.hosting import VllmSettings

PREFIX = "SM_VLLM_"


def command_line(variables: dict[str, str]) -> list[str]:
    """The arguments that the container starts vLLM with."""
    arguments: list[str] = []
    for name in sorted(variables):
        if not name.startswith(PREFIX):
            continue
        flag = "--" + name[len(PREFIX) :].lower().replace("_", "-")
        words = words_of(variables[name])
        if words is not None:
            arguments += [flag, *words]
    return arguments


def words_of(value: str) -> list[str] | None:
    """What follows a flag, or None where the container leaves the flag out."""
    bare = value.strip()
    if bare.lower() == "false":
        return None
    if bare.lower() == "true" or not value:
        return []
    if bare[:1] == "[" and bare[-1:] == "]":
        try:
            items = json.loads(bare)
        except ValueError:
            return [value]
        return [_word(item) for item in items] or None
    if bare[:1] == "{" and bare[-1:] == "}":
        objects = _objects(bare)
        return objects if len(objects) > 1 else [value]
    return [value]


def _word(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, (dict, list, bool)):
        return json.dumps(item, separators=(",", ":"))
    return str(item)


def _objects(text: str) -> list[str]:
    """The objects of ``{…} {…}``, each as one word; none when the text is something else."""
    decoder, found = json.JSONDecoder(), []
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except ValueError:
            return []
        if not isinstance(value, dict):
            return []
        found.append(json.dumps(value, separators=(",", ":")))
        text = text[end:].lstrip()
    return found


def parse(arguments: list[str], **others: dict[str, Any]) -> dict[str, Any]:
    """What vLLM understands, by names with underscores; only what is given.

    Args:
        arguments: The command line.
        others: Further options that vLLM has, with what argparse needs to know of each.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False, argument_default=argparse.SUPPRESS)
    for name, options in {**_options(), **others}.items():
        parser.add_argument("--" + name.replace("_", "-"), **options)
    given, unknown = parser.parse_known_args(arguments)
    assert not unknown, f"vLLM does not know {unknown}"
    return vars(given)


def _options() -> dict[str, dict[str, Any]]:
    kinds: dict[str, dict[str, Any]] = {
        "boolean": {"action": argparse.BooleanOptionalAction},
        "integer": {"type": int},
        "number": {"type": float},
        "string": {"type": str},
        "object": {"type": json.loads},
    }
    options = {}
    for name, schema in VllmSettings.model_json_schema(by_alias=False)["properties"].items():
        options[name] = {"nargs": "+"} if name == "served_model_name" else kinds[schema["anyOf"][0]["type"]]
    del options["other_arguments"]
    return options
