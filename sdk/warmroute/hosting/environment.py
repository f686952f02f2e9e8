"""Reads vLLM's arguments back from a container's variables, as AWS's container reads them.

Source: ``sagemaker_args.py`` of AWS's deep learning containers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ENVIRONMENT_PREFIX = "SM_VLLM_"
"""Prefix of the variables that AWS's container turns into vLLM arguments."""


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
