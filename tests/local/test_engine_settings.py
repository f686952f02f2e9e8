"""Which engines serve, as the user says: what goes together, and what is there."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest
from aiohttp import web
from local.containers import container
from typer.testing import CliRunner

from warmroute.cli.app import app
from warmroute.errors import LocalEndpointError
from warmroute.local import EngineKind, EngineSettings
from warmroute.local.engines import SimulatedEngines, engine_kind
from warmroute.local.engines.url import UrlEngines
from warmroute.local.engines.vllm import VllmEngines, interpreter, vllm_interpreter


def settings_of(*options: str) -> EngineSettings:
    """The settings that ``warmroute local`` reads from its command line."""
    read: list[EngineSettings] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warmroute.local.serve", lambda *_, engines, **__: read.append(engines))
        ran = CliRunner().invoke(app, ["local", *options])
    assert ran.exit_code == 0, ran.output
    return read[0]


@pytest.mark.parametrize(
    "settings",
    [
        EngineSettings(),
        EngineSettings(EngineKind.URL, ("http://a:1", "http://b:2")),
        EngineSettings(EngineKind.VLLM),
        EngineSettings(EngineKind.VLLM, (), Path("/x/bin/python"), ("block-size=32", "enforce-eager"), Path("model")),
    ],
)
def test_settings_survive_the_command_line(settings):
    assert settings_of(*settings.options()) == settings


URL, VLLM = EngineKind.URL, EngineKind.VLLM


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (EngineSettings(urls=("http://a:1",)), "--engine-url is for --engine url, and --engine is simulated."),
        (EngineSettings(VLLM, ("http://a:1",)), "--engine-url is for --engine url, and --engine is vllm."),
        (EngineSettings(vllm_python=Path("p")), "--vllm-python is for --engine vllm, and --engine is simulated."),
        (EngineSettings(vllm_arguments=("a=1",)), "--vllm-arg is for --engine vllm, and --engine is simulated."),
        (EngineSettings(model_dir=Path("m")), "--model-dir is for --engine vllm, and --engine is simulated."),
        (EngineSettings(URL), "--engine url needs the servers. Name each with --engine-url."),
        (EngineSettings(URL, ("nothing",)), "Engine nothing is no address of a server."),
        (EngineSettings(VLLM, model_dir=Path("/nonexistent")), "Folder /nonexistent has no model. It needs a config"),
        (EngineSettings(VLLM, vllm_python=Path("/nonexistent")), "Interpreter /nonexistent cannot be run. Run make v"),
    ],
)
def test_what_cannot_work_is_one_line(settings, says):
    with pytest.raises(LocalEndpointError, match=f"^{re.escape(says)}"):
        settings.engines(1.0)


def test_a_kind_that_is_none_tells_those_that_are():
    assert [engine_kind(kind) for kind in ("simulated", "url", "vllm")] == list(EngineKind)
    with pytest.raises(LocalEndpointError, match=r"--engine gpu: there is no such engine\. Use simulated, url, vllm\."):
        engine_kind("gpu")


def test_simulated_engines_need_nothing():
    assert isinstance(EngineSettings().engines(1.0), SimulatedEngines)


def test_servers_are_looked_for_before_the_endpoint_is_served():
    async def answer(_):
        return web.Response()

    async def main():
        async with container(answer) as url:
            engines = await asyncio.to_thread(EngineSettings(URL, (f"{url}/v1",)).engines, 1.0)
            await engines.close()
            return engines

    engines = asyncio.run(main())
    assert isinstance(engines, UrlEngines)
    assert engines.most == 1


@pytest.fixture
def vllm_python(tmp_path):
    """A program that says that it has vLLM, whatever it is asked."""
    return _program(tmp_path / "bin" / "python", "exit 0")


def _program(file: Path, does: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{does}\n", "utf-8")
    file.chmod(0o755)
    return file


def test_vllm_engines_with_a_model_s_folder(tmp_path, vllm_python):
    (tmp_path / "config.json").write_text("{}", "utf-8")
    engines = EngineSettings(VLLM, vllm_python=vllm_python, model_dir=tmp_path).engines(1.0)
    asyncio.run(engines.close())
    assert isinstance(engines, VllmEngines)


def test_an_interpreter_without_vllm_is_refused(tmp_path):
    python = _program(tmp_path / "python", "exit 1")
    with pytest.raises(LocalEndpointError, match=rf"^Interpreter {python} has no vLLM\. Run make vllm in a checkout"):
        vllm_interpreter(python)


def test_an_interpreter_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(interpreter, "_PROBE_SECONDS", 0.05)
    with pytest.raises(LocalEndpointError, match=r"cannot be run"):
        vllm_interpreter(_program(tmp_path / "python", "exec sleep 60"))


def test_without_a_word_it_is_the_one_that_make_vllm_makes_or_this_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(_program(tmp_path / "this", "exit 0")))
    assert vllm_interpreter() == tmp_path / "this"

    made = _program(tmp_path / ".venv-vllm" / "bin" / "real", "exit 0")
    made.with_name("python").symlink_to(made)
    assert vllm_interpreter() == made.with_name("python")  # Not what it links to, which has other packages.
