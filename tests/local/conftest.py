"""Endpoints in force without a control plane, for tests of the data plane."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from warmroute.local.control import ComponentState, EndpointState, VariantState
from warmroute.local.data import Fleets
from warmroute.local.engines import SimulatedEngines

MAIN = VariantState(
    name="main",
    weight=1.0,
    instance_count=2,
    is_serverless=False,
    instance_type="ml.p5.48xlarge",
    routing_config=None,
    model_name="model",
    model_image="image",
    model_environment={"SM_VLLM_MAX_NUM_SEQS": "4", "SM_VLLM_ENABLE_PROMPT_TOKENS_DETAILS": "true"},
)


class World:
    """Endpoint ``bot`` with variant ``main``, which tests change at will, and the fleets behind it."""

    main = MAIN
    component = ComponentState(
        name="llama",
        status="InService",
        variant_name="main",
        copy_count=3,
        base=None,
        serial=7,
        model_name="model",
        image=None,
        artifact_url=None,
        environment=MAIN.model_environment,
    )

    def __init__(self) -> None:
        self.states = {"bot": EndpointState("bot", "InService", "bot-1", 1, (MAIN,), (), ())}
        self.fleets = Fleets(
            SimulatedEngines(1_000),
            in_force=lambda account, region, name: self.states.get(name),
            existing=lambda: [("123456789012", "us-east-1", name) for name in self.states],
        )

    def change(self, **changes: Any) -> None:
        self.states["bot"] = replace(self.states["bot"], **changes)

    def to(self, name: str = "bot", **wanted: str) -> Any:
        return self.fleets.destination("123456789012", "us-east-1", name, **wanted)

    def fleet(self, name: str = "bot", **wanted: str) -> Any:
        return self.to(name, **wanted).fleet


@pytest.fixture
def world() -> World:
    return World()
