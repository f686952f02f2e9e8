from __future__ import annotations

import pytest

from warmroute.errors import DocumentError, InvalidSettingsError
from warmroute.fleet import LLAMA_3_1_70B_8XH100, EngineProfile, load_profile

PROFILE = """
max_num_seqs: 64
cost_model:
  floor_seconds: 5e-3
  base_seconds: 0.001
  seconds_per_token: 2e-5
  attention_seconds: 0
  seconds_per_decode_kv_token: 1.0e-8
  seconds_per_prefill_pair: 3e-10
  scale: 1.1
  request_seconds: 0.02
  kv_cache_tokens: 200000
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "profile.yaml") -> str:
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return str(file)

    return write


def test_a_file_describes_another_model(write):
    profile = load_profile(write(PROFILE))
    assert (profile.max_num_seqs, profile.max_num_batched_tokens, profile.block_size) == (64, 8_192, 16)
    assert profile.cost_model.floor_seconds == 0.005
    engine = profile.engine()
    assert (engine.max_num_seqs, engine.kv_cache.capacity_blocks) == (64, 12_500)


def test_a_profile_survives_json(write):
    profile = EngineProfile(max_num_batched_tokens=2_048, host_cache_tokens=10_000)
    assert profile.cost_model == LLAMA_3_1_70B_8XH100
    assert load_profile(write(profile.model_dump_json(), "profile.json")) == profile


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (PROFILE.replace("scale: 1.1", "scale: 0"), "cost_model.scale"),
        (PROFILE.replace("  base_seconds: 0.001\n", ""), "cost_model.base_seconds"),
        (PROFILE + "  speed: 3\n", "cost_model.speed"),
        ("max_num_seqs: 0", "max_num_seqs"),
    ],
)
def test_what_is_wrong_is_told_with_its_field_and_file(write, wrong, message):
    with pytest.raises(InvalidSettingsError, match=rf"profile\.yaml: {message}"):
        load_profile(write(wrong))


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: [", "not YAML at line"), ("- 1", "not a mapping"), ("", "not a mapping"), ("a: \x00", "not YAML: ")],
)
def test_what_is_no_profile_at_all_is_told_in_one_sentence(write, text, message):
    with pytest.raises(DocumentError, match=message):
        load_profile(write(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DocumentError, match=r"none\.yaml: the file does not exist"):
        load_profile(tmp_path / "none.yaml")
