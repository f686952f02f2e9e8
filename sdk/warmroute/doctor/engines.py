"""Probes of what vLLM on this machine needs: its environment, and a token for gated models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warmroute.doctor.diagnosis import ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine
    from warmroute.hosting import EndpointSpec

TOKEN_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
"""Variables of the Hugging Face Hub's token. Source: huggingface_hub ``get_token``."""


def vllm(machine: Machine) -> Iterator[Diagnosis]:
    """The environment that ``--engine vllm`` would use."""
    from warmroute.errors import LocalEndpointError
    from warmroute.local.engines.vllm.interpreter import ENVIRONMENT, vllm_interpreter

    del machine
    try:
        yield ok("vLLM", f"--engine vllm uses {vllm_interpreter()}.")
    except LocalEndpointError as error:
        if Path(ENVIRONMENT).exists():
            yield warning("vLLM", error.message, error.remedy)
        else:
            yield ok("vLLM", "not installed; only --engine vllm needs it.", "To have it: make vllm in a checkout.")


def gated_models(machine: Machine, spec: EndpointSpec) -> Iterator[Diagnosis]:
    """Whether the models of a spec that come from the Hugging Face Hub bring a token, which gated ones need.

    Args:
        machine: The machine.
        spec: The spec.
    """
    for name, found, environment in _from_hub(spec):
        if any(environment.get(variable) for variable in TOKEN_VARIABLES):
            yield ok(name, f"{found} is downloaded with a token.")
        else:
            here = any(machine.environment.get(variable) for variable in TOKEN_VARIABLES)
            elsewhere = " The token of this shell does not reach the container." if here else ""
            yield warning(
                name,
                f"{found} is downloaded without a token, which SageMaker cannot do if the model is gated.{elsewhere}",
                "If it is, set HF_TOKEN in the model's environment, or serve it from S3.",
            )


def _from_hub(spec: EndpointSpec) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Where a model of the Hub is in the spec, its id, and its variables."""
    from warmroute.hosting import VllmContainer

    for path, model in spec.models_by_path.items():
        if isinstance(model, VllmContainer) and model.source.hugging_face:
            yield path, model.source.hugging_face, model.environment or {}
