"""vLLM's arguments read back from variables are those that were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.hosting import ModelSource, VllmContainer, VllmSettings
from warmroute.hosting.environment import flag, number, text


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
