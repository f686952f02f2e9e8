"""Reads vLLM's arguments back from a container's variables, as AWS's container reads them.

Source: ``sagemaker_args.py`` of AWS's deep learning containers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ENVIRONMENT_PREFIX = "SM_VLLM_"
"""Prefix of the variables that AWS's container turns into vLLM arguments."""


def arguments(environment: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The arguments that AWS's container gives the vLLM server.

    Args:
        environment: Variables of the container.

    Returns:
        Each flag, for example ``--max-num-seqs``, with the words that follow it: none for a flag that is on.
    """
    given: dict[str, tuple[str, ...]] = {}
    if not environment.get(f"{ENVIRONMENT_PREFIX}MODEL") and environment.get("HF_MODEL_ID"):
        given["--model"] = (environment["HF_MODEL_ID"],)
    for variable in sorted(environment):
        if variable.startswith(ENVIRONMENT_PREFIX):
            name = "--" + variable.removeprefix(ENVIRONMENT_PREFIX).lower().replace("_", "-")
            words = _words(name, environment[variable])
            if words is not None:
                given[name] = words
    return given


def flag(environment: Mapping[str, str], argument: str) -> bool | None:
    """Whether a flag is given.

    Args:
        environment: Variables of the container.
        argument: Name of the argument with underscores, for example ``enable_prefix_caching``.

    Returns:
        True or False as given; None where vLLM's default stays in force, as it does for a variable that says false,
        which the container drops.
    """
    for variable, meaning in ((f"NO_{argument.upper()}", False), (argument.upper(), True)):
        if environment.get(ENVIRONMENT_PREFIX + variable, "false").strip().lower() in {"true", ""}:
            return meaning
    return None


def number(environment: Mapping[str, str], argument: str) -> int | None:
    """The whole number of an argument, or None where it is not given or is none.

    Args:
        environment: Variables of the container.
        argument: Name of the argument with underscores, for example ``max_num_seqs``.
    """
    value = environment.get(ENVIRONMENT_PREFIX + argument.upper(), "").strip()
    return int(value) if value.isdecimal() and value.isascii() and len(value) < 20 else None


def text(environment: Mapping[str, str], argument: str) -> str | None:
    """The text of an argument, or None where it is not given.

    Args:
        environment: Variables of the container.
        argument: Name of the argument with underscores, for example ``served_model_name``.
    """
    return environment.get(ENVIRONMENT_PREFIX + argument.upper()) or None


_ONE_WORD = {"--allowed-origins", "--allowed-methods", "--allowed-headers", "--middleware"}
"""Flags whose list is one word, since vLLM reads it as JSON or takes one value each time."""


def _words(name: str, value: str) -> tuple[str, ...] | None:
    """What follows a flag; None where the flag is left out."""
    bare = value.strip()
    if not value or bare.lower() == "true":
        return ()
    if bare.lower() == "false":
        return None
    if name not in _ONE_WORD and bare[:1] + bare[-1:] == "[]":
        return _items(bare, value)
    if name not in _ONE_WORD and bare[:1] + bare[-1:] == "{}":
        return _objects(bare, value)
    return (value,)


def _items(bare: str, value: str) -> tuple[str, ...] | None:
    """A list is a word an item, and an empty one leaves the flag out."""
    try:
        items = json.loads(bare)
    except ValueError:
        return (value,)
    return tuple(map(_word, items)) or None


def _objects(bare: str, value: str) -> tuple[str, ...]:
    """Several objects are a word each; one stays as it is written."""
    decoder, rest, found = json.JSONDecoder(), bare, []
    while rest:
        try:
            item, end = decoder.raw_decode(rest)
        except ValueError:
            return (value,)
        found.append(item)
        rest = rest[end:].lstrip()
    return tuple(map(_word, found)) if len(found) > 1 and all(isinstance(each, dict) for each in found) else (value,)


def _word(item: object) -> str:
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, (dict, list)):
        return json.dumps(item, separators=(",", ":"))
    return "" if item is None else str(item)
