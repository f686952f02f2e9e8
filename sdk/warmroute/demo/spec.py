"""The spec that the demo runs and that ``warmroute init`` writes."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from warmroute.hosting import parse_spec

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec


def example_spec_text() -> str:
    """The spec as YAML, with comments."""
    return files("warmroute.demo").joinpath("endpoint.yaml").read_text(encoding="utf-8")


def example_spec() -> EndpointSpec:
    """The spec: vLLM with Llama 3.1 70B on seven ml.p5.48xlarge, prefix-aware."""
    return parse_spec(example_spec_text(), name="endpoint.yaml")
