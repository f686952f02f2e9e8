from __future__ import annotations

import json
from pathlib import Path

import pytest

from warmroute.demo import example_spec_text
from warmroute.errors import DocumentError
from warmroute.hosting import parse_spec
from warmroute.tune.writing import with_routing, write_routing

SPEC = example_spec_text()
BLOCK = SPEC[SPEC.index("    routing_config:") :]


def written(text: str, variant: int = 0) -> str:
    return with_routing(text, name="endpoint.yaml", variant=variant, prefix_length=8_192, concurrency_threshold=48)


def values(text: str) -> tuple[int, int]:
    settings = parse_spec(text).variants[0].prefix_aware_routing_config
    assert settings is not None
    return settings.prefix_length, settings.concurrency_threshold


def test_two_numbers_change_and_nothing_else() -> None:
    assert written(SPEC) == SPEC.replace("4096  ", "8192  ").replace("threshold: 16", "threshold: 48")


def test_twice_is_as_once() -> None:
    assert written(written(SPEC)) == written(SPEC)


def test_lines_end_as_before() -> None:
    text = SPEC.replace("\n", "\r\n")

    assert written(text).count("\r\n") == text.count("\r\n") == written(text).count("\n")


@pytest.mark.parametrize("rest", ["", "\n# The end.\n", "tags: {team: support}\n"])
def test_a_routing_that_is_lacking_is_added(rest: str) -> None:
    text = SPEC.replace(BLOCK, "") + rest
    edited = written(text)

    assert values(edited) == (8_192, 48)
    assert edited.endswith(rest)
    assert all(line in edited.splitlines() for line in text.splitlines())


def test_a_file_may_end_without_a_line_break() -> None:
    assert values(written(SPEC.replace(BLOCK, "").rstrip("\n"))) == (8_192, 48)


def test_another_strategy_becomes_prefix_aware() -> None:
    text = SPEC.replace(BLOCK, "    routing_config:\n      routing_strategy: RANDOM  # for now\n")

    assert values(written(text)) == (8_192, 48)
    assert "# for now" in written(text)


def test_aws_names_and_json_are_edited_where_they_stand() -> None:
    routing = {"PrefixLength": 1024, "ConcurrencyThreshold": 9}
    variant = {
        "VariantName": "main",
        "ModelName": "llama",
        "InitialInstanceCount": 2,
        "InstanceType": "ml.p5.48xlarge",
        "RoutingConfig": {"RoutingStrategy": "PREFIX_AWARE", "PrefixAwareRoutingConfig": routing},
    }
    text = json.dumps({"EndpointConfigName": "bot", "ProductionVariants": [variant]})

    assert written(text) == text.replace("1024", "8192").replace(": 9}", ": 48}")


def test_what_cannot_be_edited_in_place_is_refused_with_the_values() -> None:
    text = SPEC.replace(BLOCK, "    routing_config: {routing_strategy: RANDOM}\n")

    with pytest.raises(DocumentError, match=r"endpoint\.yaml: cannot be edited in place: it is written in flow style"):
        written(text)
    with pytest.raises(DocumentError, match="Put these in by hand: prefix_length: 8192, concurrency_threshold: 48"):
        written(text)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("    routing_config: {prefix_aware_routing_config: {prefix_length: 4096}}\n", "names no strategy"),
        (
            (
                "    routing_config:\n      routing_strategy: PREFIX_AWARE\n"
                "      prefix_aware_routing_config: {prefix_length: 4096}\n"
            ),
            "its concurrency_threshold is not in the text",
        ),
        ("    routing_config: PREFIX_AWARE\n", "a part of it is not a mapping in the text"),
    ],
)
def test_a_routing_without_its_parts_is_not_guessed(block: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        written(SPEC.replace(BLOCK, block))


def test_a_file_is_edited_in_place_or_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "endpoint.yaml"
    file.write_text(SPEC, "utf-8")

    write_routing(str(file), variant=0, prefix_length=8_192, concurrency_threshold=48)

    assert file.read_text("utf-8") == written(SPEC)
    nowhere = tmp_path / "none.yaml"
    with pytest.raises(DocumentError, match=r"none\.yaml: No such file or directory\. Check the path"):
        write_routing(str(nowhere), variant=0, prefix_length=8_192, concurrency_threshold=48)
