"""The command line of a vLLM server, from what the spec says and what the user changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmroute.hosting import ModelSource, VllmContainer, VllmSettings
from warmroute.local.engines import EngineStartError
from warmroute.local.engines.vllm.arguments import server_arguments

CONTAINER = VllmContainer(
    source=ModelSource(hugging_face="meta/llama"),
    vllm=VllmSettings(tensor_parallel_size=8, enable_prefix_caching=False, served_model_name=("a", "b")),
    environment={"HF_TOKEN": "secret"},
).all_variables()
SPEC_S_OWN = (
    "--model meta/llama --no-enable-prefix-caching --served-model-name a b --tensor-parallel-size 8".split()  # noqa: SIM905
)


def test_without_changes_they_are_the_spec_s_own():
    assert server_arguments(CONTAINER) == SPEC_S_OWN


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        ("tensor_parallel_size=1", ["8"], ["1"]),
        ("--tensor-parallel-size=1", ["8"], ["1"]),
        ("tensor-parallel-size=false", ["--tensor-parallel-size", "8"], []),
        ("enforce-eager", [], ["--enforce-eager"]),
        ("enable-prefix-caching", ["--no-enable-prefix-caching"], ["--enable-prefix-caching"]),
        ('served-model-name=["c"]', ["a", "b"], ["c"]),
        ("dtype=bfloat16", [], ["--dtype", "bfloat16"]),
    ],
)
def test_a_change_takes_the_place_of_the_spec_s(change, gone, come):
    assert sorted(server_arguments(CONTAINER, changes=[change])) == sorted(
        [word for word in SPEC_S_OWN if word not in gone] + come
    )


def test_another_model_goes_by_the_name_of_the_spec_s():
    plain = VllmContainer(source=ModelSource(hugging_face="meta/llama")).all_variables()
    words = server_arguments(plain, model_dir=Path("/models/tiny"))
    assert words == ["--model", "/models/tiny", "--served-model-name", "meta/llama"]
    assert server_arguments({}, model_dir=Path("/models/tiny")) == ["--model", "/models/tiny"]
    assert "/models/tiny" in server_arguments(CONTAINER, model_dir=Path("/models/tiny"))


def test_without_a_model_there_is_no_server():
    with pytest.raises(EngineStartError, match="--model-dir"):
        server_arguments({"SM_VLLM_MAX_NUM_SEQS": "8"})
