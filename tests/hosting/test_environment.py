"""vLLM's arguments read back from variables are those that were written."""

from __future__ import annotations

import pytest
from hosting.vllm_container import command_line
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.hosting import ModelSource, VllmContainer, VllmSettings
from warmroute.hosting.environment import arguments, flag, number, text


@given(st.none() | st.booleans())
def test_flags_read_back(value):
    assert flag(VllmSettings(enable_prefix_caching=value).environment(), "enable_prefix_caching") is value


@given(st.integers(1, 10**12))
def test_numbers_read_back(value):
    assert number(VllmSettings(max_num_seqs=value).environment(), "max_num_seqs") == value


@pytest.mark.parametrize(
    ("value", "meaning"), [("true", True), ("", True), (" TRUE ", True), ("false", None), ("1", None)]
)
def test_flags_as_the_container_reads_them(value, meaning):
    assert flag({"SM_VLLM_ENABLE_LORA": value}, "enable_lora") is meaning


@pytest.mark.parametrize("value", ["", "many", "-1", "1.5", "²", "9" * 5_000])
def test_what_is_no_number_is_not_given(value):
    assert number({"SM_VLLM_MAX_NUM_SEQS": value}, "max_num_seqs") is None


def test_text():
    assert text({"SM_VLLM_MODEL": "a/b"}, "model") == "a/b"
    assert text({"SM_VLLM_MODEL": ""}, "model") is text({}, "model") is None


def test_values_of_variables_stay_out_of_messages_and_representations():
    with pytest.raises(InvalidSettingsError) as refused:
        VllmContainer.parse({"source": {"hugging_face": "a/b"}, "environment": {"HF_TOKEN": 12345678}})
    assert "12345678" not in str(refused.value)

    container = VllmContainer(source=ModelSource(hugging_face="a/b"), environment={"HF_TOKEN": "hf_secret"})
    assert "hf_secret" not in repr(container)


VALUES = st.one_of(
    st.text(),
    st.sampled_from(
        ["", "true", " FALSE", "[]", "[1,null,true]", '["a b",{"c":[]}]', '{"a":1}', '{"a":1} {"b":2}', "[x", "{%y%}"]
    ),
)


@given(st.dictionaries(st.sampled_from(["MODEL", "MAX_NUM_SEQS", "NO_ENABLE_PREFIX_CACHING", "LORA_MODULES"]), VALUES))
def test_arguments_are_those_of_the_container(values):
    variables = {f"SM_VLLM_{name}": value for name, value in values.items()} | {"HF_TOKEN": "x"}
    words = [word for name, following in arguments(variables).items() for word in (name, *following)]
    assert words == command_line(variables)


def test_a_list_that_vllm_reads_as_json_is_one_word():
    assert arguments({"SM_VLLM_ALLOWED_ORIGINS": '["*"]'}) == {"--allowed-origins": ('["*"]',)}


def test_the_model_of_the_hub_is_used_where_no_other_is_named():
    assert arguments({"HF_MODEL_ID": "a/b"}) == {"--model": ("a/b",)}
    assert arguments({"HF_MODEL_ID": "a/b", "SM_VLLM_MODEL": "c/d"}) == {"--model": ("c/d",)}
