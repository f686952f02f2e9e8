"""The command line of a vLLM server, from the variables of its container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.hosting.environment import ENVIRONMENT_PREFIX, arguments
from warmroute.local.engines.container import EngineStartError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def server_arguments(
    environment: Mapping[str, str], *, changes: Sequence[str] = (), model_dir: Path | None = None
) -> list[str]:
    """What AWS's container would give vLLM's server, but for its address, with some arguments changed.

    Args:
        environment: Variables of the container.
        changes: Arguments that take the place of those of the variables: ``NAME=VALUE``, or ``NAME`` for a flag. They
            are read as the variable ``SM_VLLM_NAME`` would be, so ``NAME=false`` leaves the argument out.
        model_dir: Folder of a model to run instead; requests still call it by the name that the variables give.

    Raises:
        EngineStartError: There is no model.
    """
    variables = dict(environment)
    for change in changes:
        name, given, value = change.partition("=")
        name = name.lstrip("-").replace("-", "_").upper()
        for form in (name, f"NO_{name}", name.removeprefix("NO_")):
            variables.pop(ENVIRONMENT_PREFIX + form, None)
        variables[ENVIRONMENT_PREFIX + name] = value if given else "true"
    words = arguments(variables)
    if model_dir is not None:
        if "--model" in words:
            words.setdefault("--served-model-name", words["--model"])
        words["--model"] = (str(model_dir.absolute()),)
    if "--model" not in words:
        raise EngineStartError(
            "The container names no model that can be had here: neither SM_VLLM_MODEL nor HF_MODEL_ID is set. "
            "Give a folder with --model-dir."
        )
    return [word for name, values in words.items() for word in (name, *values)]
