"""The probes of what vLLM needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmroute.doctor import Machine, Status, engines
from warmroute.errors import LocalEndpointError
from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.local.engines.vllm import interpreter


def spec(environment: str = "null", source: str = "{hugging_face: meta-llama/Llama-3.1-8B}") -> EndpointSpec:
    return parse_spec(f"""
name: bot
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/exec
model: {{image: {{framework: vllm}}, source: {source}, environment: {environment}}}
variants: [{{name: main, instance_type: ml.p5.48xlarge, initial_instance_count: 2}}]
""")


def test_vllm_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "vllm_interpreter", lambda: Path("/x/bin/python"))

    (found,) = engines.vllm(Machine())

    assert str(found) == "ok       vLLM: --engine vllm uses /x/bin/python."


def test_vllm_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse() -> Path:
        raise LocalEndpointError("Interpreter python has no vLLM.", "Run make vllm.")

    monkeypatch.setattr(interpreter, "vllm_interpreter", refuse)
    monkeypatch.chdir(tmp_path)
    assert [each.status for each in engines.vllm(Machine())] == [Status.OK]

    (tmp_path / ".venv-vllm").mkdir()
    (found,) = engines.vllm(Machine())
    assert str(found) == "warning  vLLM: Interpreter python has no vLLM. Run make vllm."


def test_a_model_with_a_token_and_one_without() -> None:
    (found,) = engines.gated_models(Machine(environment={}), spec("{HF_TOKEN: hf_secret}"))
    assert str(found) == "ok       model: meta-llama/Llama-3.1-8B is downloaded with a token."

    (found,) = engines.gated_models(Machine(environment={}), spec())
    assert found.status is Status.WARNING
    assert "set HF_TOKEN in the model's environment" in found.remedy
    assert "of this shell" not in found.message

    (found,) = engines.gated_models(Machine(environment={"HF_TOKEN": "hf_secret"}), spec())
    assert "The token of this shell does not reach the container." in found.message
    assert "hf_secret" not in str(found)


def test_a_model_of_s3_needs_none() -> None:
    assert list(engines.gated_models(Machine(), spec(source="{s3_prefix: s3://bucket/model/}"))) == []
