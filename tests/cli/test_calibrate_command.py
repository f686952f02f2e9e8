"""``warmroute calibrate``: its options and its messages; what it measures is tested with the fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fleet.calibration.simulated_server import SimulatedServer

from warmroute.fleet import EngineProfile, load_profile

Run = Callable[..., Any]


def test_an_unreachable_server_is_one_message_and_writes_nothing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "profile.yaml"
    ran = run("calibrate", "http://127.0.0.1:9/v1", "--model", "m", "-o", str(file))
    assert ran.code == 1
    assert "No server answers at http://127.0.0.1:9/v1" in ran.err
    assert not file.exists()


def test_a_file_that_is_no_profile_is_kept(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "endpoint.yaml"
    file.write_text("name: mine\n")
    ran = run("calibrate", "http://127.0.0.1:9/v1", "--output", str(file))

    assert ran.code == 1
    assert f"{file} exists, and is no engine profile." in ran.err.replace("\n", " ")
    assert file.read_text() == "name: mine\n"
    assert "cannot be written" in run("calibrate", "http://127.0.0.1:9/v1", "-o", str(tmp_path / "no" / "p.yaml")).err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--header", "no colon"], "NAME:VALUE"),
        (["--max-prompt-tokens", "100"], "512"),
        (["--minutes", "0"], "0.05"),
    ],
)
def test_a_wrong_option_says_what_is_allowed(run: Run, option: list[str], message: str) -> None:
    ran = run("calibrate", "http://127.0.0.1:9/v1", *option)
    assert ran.code == 2
    assert message in ran.err


def test_a_server_s_profile_is_written_with_what_it_was_measured_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    @contextmanager
    def server(url: str, **options: Any) -> Iterator[SimulatedServer]:
        asked.update(options, url=url)
        yield SimulatedServer(EngineProfile())

    monkeypatch.setattr("warmroute.fleet.calibration.OpenAiServer", server)
    file = tmp_path / "profile.yaml"
    options = ["--minutes", "0.05", "--max-prompt-tokens", "512", "--header", "X-Team: a", "--output", str(file)]
    ran = run("calibrate", "http://server/v1", *options)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("- ")
    assert ran.out.splitlines()[-1] == f"Wrote {file}."
    assert asked == {"url": "http://server/v1", "model": None, "api_key": "none", "headers": {"X-Team": "a"}}
    assert "http://server/v1" in file.read_text("utf-8")
    assert load_profile(file).cost_model.kv_cache_tokens > 0
    # A profile may be measured anew.
    assert run("calibrate", "http://server/v1", *options).code == 0
