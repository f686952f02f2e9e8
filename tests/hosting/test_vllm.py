"""vLLM gets the arguments that the settings say, through the variables that AWS's container reads."""

from __future__ import annotations

import argparse
import json

import pytest
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from hosting.shapes import description
from hosting.vllm_container import command_line, parse, words_of
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.hosting import Image, ModelSource, VllmContainer, VllmSettings, vllm_image_uri

PREFIX_URI = "s3://models/llama/"
ARCHIVE_URI = "s3://models/llama.tar.gz"
PACKAGE = "arn:aws:sagemaker:us-east-1:123456789012:model-package/llama/3"


def refusal(make, **values):
    with pytest.raises(InvalidSettingsError) as refused:
        make(**values)
    return refused.value.findings


def is_passed_on(text):
    """Whether a text reaches vLLM as it is, rather than as a flag, a list or a further option."""
    return bool(text.strip()) and words_of(text) == [text] and not text.startswith("-")


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(is_passed_on)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


json_texts = st.lists(json_values.map(json.dumps), min_size=1, max_size=2).map(" ".join)


def values_of(name):
    """Values of a setting, from what its class says of it."""
    schema = VllmSettings.model_json_schema(by_alias=False)["properties"][name]["anyOf"][0]
    if name == "served_model_name":
        return texts | st.lists(texts, min_size=1, max_size=3)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return {
        "boolean": st.booleans(),
        "integer": st.integers(schema.get("minimum", -(2**31)), 2**31),
        "number": st.floats(0, 1, exclude_min=True),
        "string": texts,
        "object": st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    }[schema["type"]]


known = [name for name in VllmSettings.model_fields if name != "other_arguments"]
settings = st.fixed_dictionaries({}, optional={name: values_of(name) for name in known})


@hypothesis_settings(deadline=None)
@given(settings)
def test_vllm_understands_what_the_settings_say(values):
    understood = parse(command_line(VllmSettings(**values).environment()))
    if isinstance(values.get("served_model_name"), str):
        values["served_model_name"] = [values["served_model_name"]]
    assert understood == values


@hypothesis_settings(deadline=None)
@given(settings)
def test_variables_are_those_that_sagemaker_takes(values):
    container = VllmContainer(source=ModelSource(s3_prefix=PREFIX_URI), vllm=VllmSettings(**values))
    for name, value in container.all_variables().items():
        assert name.isascii()
        assert name == name.upper()
        assert isinstance(value, str)


@pytest.mark.parametrize("name", [name for name in known if name.startswith("enable_")])
def test_a_flag_can_be_turned_off(name):
    assert parse(command_line(VllmSettings(**{name: False}).environment())) == {name: False}
    assert parse(command_line(VllmSettings(**{name: True}).environment())) == {name: True}


def test_prefix_caching_is_turned_off_by_the_one_variable_that_does_it():
    assert VllmSettings(enable_prefix_caching=False).environment() == {"SM_VLLM_NO_ENABLE_PREFIX_CACHING": "true"}


def test_other_arguments_reach_vllm_by_their_own_names_only():
    settings = VllmSettings(other_arguments={"async_scheduling": True, "lora_modules": [{"name": "a", "path": "b"}]})
    assert settings.environment() == {
        "SM_VLLM_ASYNC_SCHEDULING": "true",
        "SM_VLLM_LORA_MODULES": '[{"name":"a","path":"b"}]',
    }


def test_settings_that_are_absent_keep_vllms_defaults():
    assert VllmSettings().environment() == {}
    assert VllmSettings().arguments() == {}


def test_several_names_of_a_model_are_several_words():
    variables = VllmSettings(served_model_name=["llama", "my model"]).environment()
    assert variables == {"SM_VLLM_SERVED_MODEL_NAME": '["llama","my model"]'}
    assert command_line(variables) == ["--served-model-name", "llama", "my model"]


def test_an_object_is_one_word():
    config = {"method": "ngram", "num_speculative_tokens": 4}
    (_, word) = command_line(VllmSettings(speculative_config=config).environment())
    assert json.loads(word) == config


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"tensor_parallel_size": 0}, "tensor_parallel_size"),
        ({"gpu_memory_utilization": 0.0}, "gpu_memory_utilization"),
        ({"gpu_memory_utilization": 1.1}, "gpu_memory_utilization"),
        ({"max_num_seqs": "64"}, "max_num_seqs"),
        ({"prefix_caching_hash_algo": "md5"}, "prefix_caching_hash_algo"),
        ({"other_arguments": {"Bad-Name": 1}}, "other_arguments.Bad-Name"),
        ({"dtype": "true"}, "dtype"),
    ],
)
def test_settings_that_vllm_could_not_take(values, path):
    assert path in {finding.path for finding in refusal(VllmSettings, **values)}


@pytest.mark.parametrize("names", [[], 7, [""], [7]])
def test_a_path_does_not_show_the_types_of_a_field(names):
    for finding in refusal(VllmSettings.parse, values={"served_model_name": names, "seed": "x"}):
        assert finding.path.split("[")[0] in {"served_model_name", "seed"}
        assert "tuple" not in finding.path


def test_settings_with_nested_values_are_immutable():
    settings = VllmSettings(speculative_config={"a": [1, {"b": 2}]})
    assert settings.speculative_config == {"a": (1, {"b": 2})}
    assert hash(settings) == hash(VllmSettings(speculative_config={"a": [1, {"b": 2}]}))
    with pytest.raises(TypeError, match="immutable"):
        settings.speculative_config["a"][1]["b"] = 3


@given(st.dictionaries(st.from_regex(r"\A[a-z]{3,8}\Z"), json_values, max_size=3))
def test_nested_values_are_written_as_they_were_given(values):
    settings = VllmSettings(speculative_config=values)
    assert settings.arguments() == {"speculative_config": values}
    assert settings.model_dump(exclude_none=True) == json.loads(settings.model_dump_json(exclude_none=True))
    assert settings.model_copy(update={"seed": 1}).speculative_config == settings.speculative_config
    assert VllmSettings(speculative_config={**settings.speculative_config, "zz": 1}).speculative_config["zz"] == 1


def test_values_nested_too_deeply_are_refused():
    endless = []
    endless.append(endless)
    for value in (endless, json.loads("[" * 900 + "]" * 900)):
        findings = refusal(VllmSettings, other_arguments={"a": value})
        assert {finding.path.partition("[")[0].partition(".")[0] for finding in findings} == {"other_arguments"}


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8) | json_texts)
def test_text_reaches_vllm_as_it_is_or_is_refused(text):
    if is_passed_on(text):
        assert parse(command_line(VllmSettings(chat_template=text).environment())) == {"chat_template": text}
    else:
        assert [finding.id for finding in refusal(VllmSettings, chat_template=text)] == ["WR303"]


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reaches_vllm_as_it_is_or_is_refused(number):
    try:
        variables = VllmSettings(other_arguments={"scale": number}).environment()
    except InvalidSettingsError:
        assert number < 0
        assert "e" in str(number)
    else:
        assert parse(command_line(variables), scale={"type": type(number)}) == {"scale": number}


def test_a_number_that_cannot_be_written_out_is_refused():
    (finding,) = refusal(VllmSettings, seed=16**5_000)
    assert (finding.id, finding.path) == ("WR303", "seed")


def test_a_definition_of_valid_settings_never_fails():
    most = {f"a{number}": number for number in range(100)}
    for settings in ({"chat_template": "x" * 1_024}, {"other_arguments": most}):
        container = VllmContainer(source=ModelSource(s3_prefix=PREFIX_URI), vllm=settings)
        assert container.definition("us-east-1").environment == container.all_variables()


def test_further_variables_stand_beside_those_of_the_settings():
    container = VllmContainer(
        source=ModelSource(hugging_face="meta-llama/Llama-3.1-8B-Instruct"),
        vllm=VllmSettings(max_num_seqs=8),
        environment={"HF_TOKEN": "hf_secret", "SM_VLLM_ASYNC_SCHEDULING": "true"},
    )
    assert container.all_variables() == {
        "SM_VLLM_MODEL": "meta-llama/Llama-3.1-8B-Instruct",
        "SM_VLLM_MAX_NUM_SEQS": "8",
        "HF_TOKEN": "hf_secret",
        "SM_VLLM_ASYNC_SCHEDULING": "true",
    }
    options = {"model": {"type": str}, "async_scheduling": {"action": argparse.BooleanOptionalAction}}
    assert parse(command_line(container.all_variables()), **options) == {
        "model": "meta-llama/Llama-3.1-8B-Instruct",
        "max_num_seqs": 8,
        "async_scheduling": True,
    }


def data_source(location, kind, compression):
    return {"S3DataSource": {"S3Uri": location, "S3DataType": kind, "CompressionType": compression}}


@pytest.mark.parametrize(
    ("source", "definition"),
    [
        (
            {"hugging_face": "org/model"},
            {"Image": vllm_image_uri("eu-west-1"), "Environment": {"SM_VLLM_MODEL": "org/model"}},
        ),
        (
            {"s3_prefix": PREFIX_URI},
            {"Image": vllm_image_uri("eu-west-1"), "ModelDataSource": data_source(PREFIX_URI, "S3Prefix", "None")},
        ),
        (
            {"s3_archive": ARCHIVE_URI},
            {"Image": vllm_image_uri("eu-west-1"), "ModelDataSource": data_source(ARCHIVE_URI, "S3Object", "Gzip")},
        ),
        ({"model_package": PACKAGE}, {"ModelPackageName": PACKAGE}),
    ],
    ids=lambda value: next(iter(value)),
)
def test_a_definition_for_each_source(source, definition):
    given_ = VllmContainer(source=ModelSource(**source)).definition("eu-west-1").to_aws()
    assert given_ == definition
    shape = ServiceModel(description("sagemaker"), "sagemaker").shape_for("ContainerDefinition")
    assert not ParamValidator().validate(given_, shape).has_errors()


def test_a_definition_carries_the_consent_and_the_hub():
    hub = "arn:aws:sagemaker:us-east-1:aws:hub-content/SageMakerPublicHub/Model/llama/1.0.0"
    source = ModelSource(
        s3_prefix=PREFIX_URI, model_access_config={"accept_eula": True}, hub_access_config={"hub_content_arn": hub}
    )
    definition = VllmContainer(source=source).definition("us-east-1").to_aws()
    assert definition["ModelDataSource"]["S3DataSource"] == {
        **data_source(PREFIX_URI, "S3Prefix", "None")["S3DataSource"],
        "ModelAccessConfig": {"AcceptEula": True},
        "HubAccessConfig": {"HubContentArn": hub},
    }


def test_an_image_of_ones_own_goes_with_every_source():
    for source in ({"hugging_face": "org/model"}, {"model_package": PACKAGE}):
        container = VllmContainer(image=Image(uri="registry/vllm:mine"), source=ModelSource(**source))
        assert container.definition("eu-west-1").image == "registry/vllm:mine"


def test_an_image_without_a_version_is_the_newest():
    assert Image(framework="vllm").resolve("us-east-1") == vllm_image_uri("us-east-1")
    assert Image(framework="vllm", version="0.25").resolve("us-east-1") == vllm_image_uri("us-east-1", "0.25.1")


def test_an_image_that_aws_does_not_have_is_refused_when_it_is_needed():
    image = Image(framework="vllm", version="0.1")
    (finding,) = refusal(image.resolve, region="us-east-1")
    assert finding.path == "image.version"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hugging_face", "llama"),
        ("hugging_face", "https://huggingface.co/org/model"),
        ("hugging_face", "org/model\n"),
        ("s3_prefix", "s3://models/llama"),
        ("s3_prefix", "https://models.s3.amazonaws.com/llama/"),
        ("s3_prefix", "s3:///llama/"),
        ("s3_archive", "s3://models/llama/"),
        ("s3_archive", "s3://models/llama.zip"),
        ("model_package", "llama package"),
    ],
)
def test_places_of_another_form_are_refused(field, value):
    assert {finding.path for finding in refusal(ModelSource, **{field: value})} == {field}


@pytest.mark.parametrize("field", ["hugging_face", "s3_prefix", "s3_archive", "model_package"])
def test_a_source_names_the_place_that_is_given(field):
    places = {"hugging_face": "org/model", "s3_prefix": "s3://m/", "s3_archive": ARCHIVE_URI, "model_package": "llama"}
    assert ModelSource(**{field: places[field]}).given == (field,)
