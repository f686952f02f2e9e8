from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from render.specs import SPECS, demo, demo_variant

from warmroute.hosting import EndpointSpec
from warmroute.render import to_boto3
from warmroute.render.names import content_name
from warmroute.render.resource import Kind, Ref

NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")
MODEL = Ref(Kind.MODEL)
endpoints = st.from_regex(r"[a-zA-Z0-9](-{0,3}[a-zA-Z0-9]){0,62}", fullmatch=True).map(
    lambda name: name[:63].rstrip("-")
)
contents = st.dictionaries(
    st.text(max_size=5), st.integers() | st.text(max_size=5) | st.floats(allow_nan=False), max_size=4
)


def configuration_name(spec: EndpointSpec) -> str:
    return next(
        call.parameters["EndpointConfigName"] for call in to_boto3(spec) if call.operation == "create_endpoint_config"
    )


@given(endpoints, contents)
def test_a_name_is_one_that_sagemaker_takes(endpoint, content):
    name = content_name(endpoint, MODEL, content)
    assert NAME.fullmatch(name)
    assert name.startswith(endpoint[:20].rstrip("-"))


@given(endpoints, contents)
def test_the_order_of_the_content_does_not_matter(endpoint, content):
    turned = dict(reversed(content.items()))
    assert content_name(endpoint, MODEL, turned) == content_name(endpoint, MODEL, content)


@given(endpoints, contents, contents)
def test_other_content_has_another_name(endpoint, content, other):
    same = content_name(endpoint, MODEL, content) == content_name(endpoint, MODEL, other)
    assert same == (content == other and repr(sorted(content.items())) == repr(sorted(other.items())))


def test_long_endpoint_names_of_one_beginning_share_no_name():
    beginning = "a" * 60
    assert content_name(f"{beginning}-x", MODEL, {}) != content_name(f"{beginning}-y", MODEL, {})


@given(
    st.integers(1_024, 65_536),
    st.integers(1, 1_024),
    st.integers(2, 50),
    st.integers(60, 3_600),
    st.dictionaries(st.sampled_from(["A", "B"]), st.sampled_from(["x", "y"])),
)
def test_a_configuration_has_another_name_exactly_when_a_field_differs(length, threshold, count, timeout, tags):
    routing = {
        "routing_strategy": "PREFIX_AWARE",
        "prefix_aware_routing_config": {"prefix_length": length, "concurrency_threshold": threshold},
    }
    variant = demo_variant(
        routing_config=routing,
        initial_instance_count=count,
        container_startup_health_check_timeout_in_seconds=timeout,
    )
    spec = demo(variants=[variant], tags=tags)
    assert configuration_name(spec) == configuration_name(EndpointSpec.parse(spec.model_dump(exclude_none=True)))
    unchanged = (length, threshold, count, timeout, tags) == (4_096, 16, 7, 3_600, {})
    assert (configuration_name(spec) == configuration_name(SPECS["demo"])) == unchanged


def test_another_model_gives_another_configuration():
    model = SPECS["demo"].model_dump(exclude_none=True)["model"]
    changed = demo(model={**model, "vllm": {**model["vllm"], "max_num_seqs": 32}})
    assert configuration_name(changed) != configuration_name(SPECS["demo"])


def test_what_only_the_endpoint_holds_leaves_the_configuration_alone():
    guarded = demo(
        deployment_config={
            "rolling_update_policy": {
                "maximum_batch_size": {"type": "INSTANCE_COUNT", "value": 1},
                "wait_interval_in_seconds": 60,
            }
        }
    )
    assert configuration_name(guarded) == configuration_name(SPECS["demo"])


def test_models_of_equal_content_have_names_of_their_own():
    model = {"source": {"hugging_face": "a/b"}}
    variants = [demo_variant(name=name, model_name=name) for name in ("a", "b")]
    calls = to_boto3(demo(models={"a": model, "b": model}, variants=variants))
    names = [call.parameters["ModelName"] for call in calls if call.operation == "create_model"]
    assert len(names) == len(set(names)) == 2


def test_names_do_not_change_between_releases():
    # A changed name would replace every endpoint's configuration at the next deployment.
    assert configuration_name(SPECS["demo"]) == "support-bot-436f430f20"
