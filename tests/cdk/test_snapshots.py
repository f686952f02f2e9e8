"""The whole templates of the examples: a change in one is seen, and meant."""

from __future__ import annotations

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template
from cdk.sleeping import SLEEPING
from render.specs import SPECS, WITHOUT_ROLE

from warmroute.demo import example_spec
from warmroute_cdk import EndpointStack

EXAMPLES = {
    "example": example_spec(),
    "role-made-here": WITHOUT_ROLE,
    "components": SPECS["components"],
    "scale-to-zero": SLEEPING,
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_template(name, snapshot):
    template = Template.from_stack(EndpointStack(App(), "Example", spec=EXAMPLES[name])).to_json()
    assert {part: template[part] for part in ("Description", "Resources", "Outputs")} == snapshot
