"""Laws of comparing what is asked for with what is described, and of telling a container as vLLM."""

from __future__ import annotations

from typing import Any

from hypothesis import given, reject
from hypothesis import strategies as st

from warmroute.deploy.account.contents import config_content, model_content
from warmroute.deploy.importing.vllm_form import vllm_form
from warmroute.deploy.planning.differences import differences, snake_case
from warmroute.errors import InvalidSettingsError
from warmroute.hosting import VllmContainer
from warmroute.hosting.vllm import VllmSettings
from warmroute.settings import Settings

NAMES = st.sampled_from(["RoutingConfig", "PrefixLength", "VolumeSizeInGB", "EnableSSMAccess", "Tags"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(0, 5), st.sampled_from(["a", "b"]))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)


@given(VALUES)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert differences(value, value) == ()


@given(VALUES, VALUES)
def test_what_comes_also_goes(old: Any, new: Any) -> None:
    def turned(found: Any) -> set[str]:
        return {f"{each.path}: {each.new} {each.old}" for each in found}

    def straight(found: Any) -> set[str]:
        return {f"{each.path}: {each.old} {each.new}" for each in found}

    assert turned(differences(old, new)) == straight(differences(new, old))


@given(VALUES, VALUES)
def test_values_that_differ_show_it(old: Any, new: Any) -> None:
    def bare(value: Any) -> Any:
        """Without what says nothing: an absent value, and empty containers of one."""
        if isinstance(value, dict):
            return {key: found for key, item in value.items() if (found := bare(item)) not in (None, {}, [])}
        return [bare(item) for item in value] if isinstance(value, list) else value

    if bare(old) != bare(new) and type(old) is type(new) is dict:
        assert differences(old, new)


def test_a_variant_more_at_the_front_is_no_change_of_the_others() -> None:
    old = {"ProductionVariants": [{"VariantName": "b", "InitialInstanceCount": 1}]}
    new = {"ProductionVariants": [{"VariantName": "a", "InitialInstanceCount": 1}, *old["ProductionVariants"]]}

    assert [each.path for each in differences(old, new)] == ["variants.a"]


def test_names_read_as_the_spec_spells_them() -> None:
    def fields(cls: type[Settings]) -> None:
        for name, field in cls.model_fields.items():
            aws = field.serialization_alias
            if aws and name != "name":
                assert snake_case(aws) in {name, f"production_{name}", f"shadow_production_{name[7:]}"}, aws

    for cls in _all(Settings):
        if cls.__module__.startswith("warmroute.hosting") and not issubclass(cls, VllmSettings):
            fields(cls)


def _all(cls: type[Settings]) -> set[type[Settings]]:
    return {cls}.union(*(_all(each) for each in cls.__subclasses__()))


def test_an_archive_is_one_content_however_it_is_described() -> None:
    uri = "s3://models/a.tar.gz"
    source = {"S3DataSource": {"S3Uri": uri, "S3DataType": "S3Object", "CompressionType": "Gzip"}}
    asked = {"PrimaryContainer": {"Image": "a", "ModelDataSource": source}}
    described = {
        "ModelName": "x",
        "EnableNetworkIsolation": False,
        "PrimaryContainer": {"Image": "a", "Mode": "SingleModel", "ModelDataUrl": uri, "ModelDataSource": source},
    }

    assert model_content(asked) == model_content(described)


def test_defaults_of_a_variant_are_no_difference() -> None:
    asked = {"ProductionVariants": [{"VariantName": "a", "InstanceType": "ml.m5.large"}]}
    routing = {"RoutingStrategy": "RANDOM"}
    defaults = {"InitialVariantWeight": 1.0, "RoutingConfig": routing, "EnableSSMAccess": False}
    described = {"ProductionVariants": [{**asked["ProductionVariants"][0], **defaults}]}

    assert config_content(asked) == config_content(described)


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "tensor_parallel_size": st.integers(1, 16),
        "gpu_memory_utilization": st.floats(0.01, 1),
        "enable_prefix_caching": st.booleans(),
        "dtype": st.sampled_from(["bfloat16", "true", "1", "null", "[]"]),
        "served_model_name": st.one_of(st.text("ab:", min_size=1, max_size=4), st.lists(st.just("a"), min_size=1)),
        "speculative_config": st.dictionaries(st.just("method"), st.sampled_from(["ngram", 1, None]), min_size=1),
        "other_arguments": st.dictionaries(
            st.sampled_from(["swap_space", "no_repeat", "async_scheduling"]),
            st.one_of(st.booleans(), st.integers(), st.sampled_from(["x", "1", ""])),
            min_size=1,
        ),
    },
)
VARIABLES = st.dictionaries(
    st.sampled_from(["HF_TOKEN", "SM_VLLM_ODD", "SM_VLLM_NO_SWAP_SPACE", "SM_VLLM_MAX_NUM_SEQS"]),
    st.sampled_from(["true", "false", "12", " 12", "", "1e3", '{"a":1}']),
)


@given(SETTINGS, VARIABLES, st.sampled_from(["0.30.0", "0.25.1"]))
def test_a_container_told_as_vllm_is_the_same_container(
    settings: dict[str, Any], variables: dict[str, str], version: str
) -> None:
    values = {"source": {"hugging_face": "a/b"}, "vllm": settings, "image": {"framework": "vllm", "version": version}}
    own = {"environment": variables} if variables else {}
    try:
        container = VllmContainer.parse({**values, **own}).definition("us-east-1").to_aws()
    except InvalidSettingsError:
        reject()

    told = vllm_form(container, "us-east-1")

    assert told is not None
    assert told["image"] == {"framework": "vllm", "version": version}
    assert VllmContainer.parse(told).definition("us-east-1").to_aws() == container


def test_a_container_that_no_words_render_is_not_told() -> None:
    assert vllm_form({"Image": "registry/app:1", "Environment": {"A": "1"}}, "us-east-1") is None
    assert vllm_form({"Image": "registry/vllm:1", "ModelDataUrl": "s3://a/b.tar.gz"}, "us-east-1") is None
    hosted = {"Image": "registry/vllm:1", "ContainerHostname": "first", "Environment": {"SM_VLLM_MODEL": "a/b"}}
    assert vllm_form(hosted, "us-east-1") is None
