"""The tuning notebook, run as a script."""

from __future__ import annotations

import json
from pathlib import Path

from example_runs import run_example

from warmroute import load_spec
from warmroute.demo import example_spec, example_spec_text

ENVIRONMENT = {"MPLBACKEND": "agg", "BUDGET": "6000"}


def test_a_capture_becomes_values_in_the_spec_and_two_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "tuning"

    said = run_example("tuning", {**ENVIRONMENT, "FOLDER": str(folder)})

    assert f"Wrote {folder}/endpoint.yaml." in said
    routing = load_spec(folder / "endpoint.yaml").variants[0].routing_config
    settings = routing and routing.prefix_aware_routing_config
    assert settings is not None
    # The sample's tenants part before this stretch, and its conversations behind it.
    assert 3_000 < settings.prefix_length < 12_000
    assert f"prefix_length: {settings.prefix_length}\n" in said
    assert f"concurrency_threshold: {settings.concurrency_threshold}\n" in said
    text = (folder / "endpoint.yaml").read_text("utf-8")
    assert text.count("#") == example_spec_text().count("#")
    for picture, graphs in (("traffic.svg", 2), ("tuning.svg", 3)):
        assert f'id="axes_{graphs}"' in (folder / picture).read_text("utf-8")


def test_a_spec_of_one_s_own_stays_as_it_is_where_nothing_is_gained(tmp_path: Path) -> None:
    spec, capture = tmp_path / "mine.yaml", tmp_path / "capture.jsonl"
    spec.write_text(example_spec_text(), "utf-8")
    requests = (
        {"timestamp": 500 * n, "messages": [{"role": "user", "content": f"{n} " * 1_500}], "output_length": 4}
        for n in range(120)
    )
    capture.write_text("".join(f"{json.dumps(request)}\n" for request in requests), "utf-8")
    environment = {**ENVIRONMENT, "FOLDER": str(tmp_path), "SPEC": str(spec), "CAPTURE": str(capture)}

    said = run_example("tuning", environment)

    assert "Verdict: gains nothing." in said
    assert f"{spec} stays as it is: " in said
    assert load_spec(spec) == example_spec()
