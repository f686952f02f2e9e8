"""How long the demo's spec takes to validate, with every check, against parsing its YAML alone."""

import timeit

import yaml

from benchmarks.report import line
from warmroute.demo import example_spec_text
from warmroute.hosting import EndpointSpec, check


def run() -> None:
    """Validation of parsed values, warnings included, against its limit of 5 ms and against the YAML parser."""
    text = example_spec_text()
    values = yaml.safe_load(text)
    validated = _best(lambda: check(EndpointSpec.parse(values)))
    line("validate the demo spec / parse its YAML", validated, _best(lambda: yaml.safe_load(text)), 1.0)
    line("validate the demo spec / 5 ms", validated, 5e-3, 1.0)


def _best(function: object) -> float:
    return min(timeit.repeat(function, number=20, repeat=7)) / 20  # type: ignore[arg-type]
